const atMostEveryMs = 1_000;
/** Reading takes at most this part of the time, however often it is asked for. */
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
      // Whoever writes to the store tells of its trouble; here the last answer stands.
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
