import { isStoreUnavailable } from "../../contract/app-error.ts";
import { formatDuration } from "../../shared/format.ts";
import { findStall, type StoreStall } from "../../domain/store-stall.ts";
import type { Logger } from "../../ports/logger.ts";
import type { Store } from "../../ports/store.ts";

const pingEveryMs = 2_000;
const checkEveryMs = 1_000;

/**
 * The same store, which logs when it becomes unavailable or does not respond, and when that is over. Each operation
 * shows the first. Only `ping` shows that it is available again: reads can succeed while the disk is full.
 */
export function reportOutages(store: Store, logger: Logger): Store {
  let unavailableSince: number | null = null;
  let pinging: NodeJS.Timeout | null = null;
  let isClosed = false;
  const stalls = watchStalls(logger);

  function observe(error: unknown): void {
    if (isClosed || !isStoreUnavailable(error)) return;
    logger.warn("store unavailable", { error });
    unavailableSince ??= performance.now();
    pinging ??= setTimeout(() => void ping(), pingEveryMs).unref();
  }

  async function ping(): Promise<void> {
    try {
      await watched("ping", store.ping)();
      if (unavailableSince !== null && !isClosed)
        logger.warn("store available again", forHowLong(performance.now() - unavailableSince));
      unavailableSince = null;
      pinging = null;
    } catch (error) {
      pinging = null;
      observe(error);
    }
  }

  function watched<Args extends unknown[], Result>(name: string, operation: (...args: Args) => Result) {
    return (...args: Args): Result => {
      const result = operation(...args);
      if (result instanceof Promise) {
        const end = stalls.begin(name);
        result.then(
          () => end(true),
          (error: unknown) => {
            end(!isStoreUnavailable(error));
            observe(error);
          },
        );
      }
      return result;
    };
  }

  const operations = new Proxy(store, {
    get(target, name) {
      const operation: unknown = Reflect.get(target, name);
      return typeof operation === "function" ? watched(String(name), operation.bind(target)) : operation;
    },
  });
  return {
    ...operations,
    stall: stalls.current,
    close() {
      isClosed = true;
      if (pinging) clearTimeout(pinging);
      stalls.close();
      return store.close();
    },
  };
}

const forHowLong = (ms: number) => ({ unavailableFor: formatDuration(ms), unavailableMs: Math.round(ms) });

interface StallWatch {
  /** Call the result with whether the store answered: a timeout or a lost connection is no answer. */
  begin(operation: string): (isAnswered: boolean) => void;
  current(): StoreStall | null;
  close(): void;
}

/** Logs when the store does not respond, once, and when it responds again. */
function watchStalls(logger: Logger): StallWatch {
  const waiting = new Set<{ operation: string; since: number }>();
  let answeredAt = performance.now();
  let stalledSince: number | null = null;
  let timer: NodeJS.Timeout | null = null;
  let checkedAt = 0;

  function current(): StoreStall | null {
    const [oldest = null] = waiting;
    return findStall({ oldest, answeredAt, now: performance.now() });
  }

  function check(): void {
    const now = performance.now();
    // This process itself was paused or blocked: answers may be unread.
    const isLate = now - checkedAt > 2 * checkEveryMs;
    checkedAt = now;
    const stall = isLate ? null : current();
    if (stall && stalledSince === null) {
      stalledSince = now - stall.ms;
      const { waitingFor, ms } = stall;
      logger.warn("store does not respond", { waitingFor, waitingMs: Math.round(ms), operations: waiting.size });
    }
    if (waiting.size === 0) stop();
  }

  function stop(): void {
    if (timer) clearInterval(timer);
    timer = null;
  }

  function answered(): void {
    answeredAt = performance.now();
    if (stalledSince === null) return;
    logger.warn("store responds again", forHowLong(answeredAt - stalledSince));
    stalledSince = null;
  }

  return {
    begin(operation) {
      const entry = { operation, since: performance.now() };
      waiting.add(entry);
      if (!timer) {
        checkedAt = entry.since;
        timer = setInterval(check, checkEveryMs).unref();
      }
      return (isAnswered) => {
        waiting.delete(entry);
        if (isAnswered) answered();
      };
    },
    current,
    close: stop,
  };
}
