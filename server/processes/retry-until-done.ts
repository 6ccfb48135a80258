/** Tries again with growing waits, up to two seconds. After the last try `onFailure` hears why. */
export async function retryUntilDone(
  task: () => Promise<void>,
  p: { tries: number; onFailure: (error: unknown) => void },
): Promise<void> {
  for (let tried = 1; ; tried += 1) {
    try {
      return await task();
    } catch (error) {
      if (tried >= p.tries) return p.onFailure(error);
      await new Promise((resolve) => setTimeout(resolve, Math.min(2000, 50 * 2 ** tried)));
    }
  }
}
