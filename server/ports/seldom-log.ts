type Log = (message: string, fields?: Record<string, unknown>) => void;

const everyMs = 5_000;

/**
 * A throttled log for errors that repeat many times a second. It writes the first line immediately, then one every five
 * seconds with the number of suppressed lines. `now` is monotonic.
 */
export function createSeldomLog(log: Log, now: () => number = () => performance.now()): Log {
  let writtenAt = Number.NEGATIVE_INFINITY;
  let leftOut = 0;
  return (message, fields) => {
    if (now() - writtenAt < everyMs) {
      leftOut += 1;
      return;
    }
    writtenAt = now();
    log(message, leftOut > 0 ? { ...fields, leftOut } : fields);
    leftOut = 0;
  };
}
