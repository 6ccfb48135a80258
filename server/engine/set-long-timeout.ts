const maxTimerMs = 2 ** 31 - 1;

/** SetTimeout without its limit of 25 days. Returns a function that stops it. */
export function setLongTimeout(callback: () => void, delayMs: number): () => void {
  let timer: NodeJS.Timeout;
  const arm = (leftMs: number): void => {
    const stretchMs = Math.min(Math.max(0, leftMs), maxTimerMs);
    timer = setTimeout(() => (leftMs > stretchMs ? arm(leftMs - stretchMs) : callback()), stretchMs);
  };
  arm(delayMs);
  return () => clearTimeout(timer);
}
