const atMostEveryMs = 1_000;
/** Reading takes at most this share of the time, even if it is requested more often. */
const maxShare = 0.01;

/**
 * Gives the last answer again for a second, or longer where reading takes long; `null` where reading failed and there
 * is no answer yet.
 */
export function readSeldom<T>(
  read: () => Promise<T>,
  now: () => number = () => performance.now(),
): () => Promise<T | null> {
  let last: T | null = null;
  let nextAt = -Infinity;
  let reading: Promise<void> | null = null;

  async function readNow(): Promise<void> {
    const began = now();
    try {
      last = await read();
    } catch {
      // Writers report failures of the store; here the last value stays.
    }
    const tookMs = now() - began;
    nextAt = now() + Math.max(atMostEveryMs, tookMs / maxShare);
    reading = null;
  }

  return async () => {
    if (now() >= nextAt || reading) await (reading ??= readNow());
    return last;
  };
}
