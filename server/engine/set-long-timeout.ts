const maxTimerMs = 2 ** 31 - 1;

/** SetTimeout without its bound of 25 days. Returns the way to stop it. */
export function setLongTimeout(callback: () => void, delayMs: number): () => void {
  let timer: NodeJS.Timeout;
  const arm = (leftMs: number): void => {
    const stretchMs = Math.min(Math.max(0, leftMs), maxTimerMs);
    timer = setTimeout(() => (leftMs > stretchMs ? arm(leftMs - stretchMs) : callback()), stretchMs);
  };
  arm(delayMs);
  return () => clearTimeout(timer);
}
