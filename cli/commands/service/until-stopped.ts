/** Terminals and `npm run` both forward Ctrl-C. A signal this soon after the first is the same key press. */
const samePressMs = 300;

/** Resolves at the first SIGINT or SIGTERM. A second one ends the process at once. */
export function untilStopped(): Promise<void> {
  return new Promise((resolve) => {
    let stoppedAt: number | null = null;
    const stop = (signal: NodeJS.Signals) => {
      const now = performance.now();
      if (stoppedAt !== null && now - stoppedAt > samePressMs) process.exit(signal === "SIGINT" ? 130 : 143);
      stoppedAt ??= now;
      resolve();
    };
    process.on("SIGINT", stop);
    process.on("SIGTERM", stop);
  });
}
