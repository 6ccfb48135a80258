type Log = (message: string, fields?: Record<string, unknown>) => void;

const everyMs = 5_000;

/**
 * For what goes wrong at every request, or many times a second, as long as its cause is there: the first line is
 * written at once, then one every five seconds, with how many were left out before it. `now` is monotonic.
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
