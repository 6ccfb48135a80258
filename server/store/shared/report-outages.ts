import { AppError } from "../../contract/app-error.ts";
import { formatDuration } from "../../domain/format.ts";
import type { Logger } from "../../ports/logger.ts";
import type { Store } from "../../ports/store.ts";

const pingEveryMs = 2_000;

/**
 * The same store, which logs when it becomes unavailable, and when it is available again. Each operation shows the
 * first. Only `ping` shows the second: reads can succeed while the disk is full.
 */
export function reportOutages(store: Store, logger: Logger): Store {
  let unavailableSince: number | null = null;
  let pinging: NodeJS.Timeout | null = null;
  let isClosed = false;

  function observe(error: unknown): void {
    if (isClosed || !(error instanceof AppError) || error.code !== "store_unavailable") return;
    logger.warn("store unavailable", { error });
    unavailableSince ??= performance.now();
    pinging ??= setTimeout(() => void ping(), pingEveryMs).unref();
  }

  async function ping(): Promise<void> {
    try {
      await store.ping();
      if (unavailableSince !== null && !isClosed) reportEnd(performance.now() - unavailableSince);
      unavailableSince = null;
      pinging = null;
    } catch (error) {
      pinging = null;
      observe(error);
    }
  }

  function reportEnd(ms: number): void {
    logger.info("store available again", { unavailableFor: formatDuration(ms), unavailableMs: Math.round(ms) });
  }

  const operations = new Map<string | symbol, unknown>();
  return new Proxy(store, {
    get(target, name) {
      const known = operations.get(name);
      if (known !== undefined) return known;
      const operation: unknown = Reflect.get(target, name);
      if (typeof operation !== "function") return operation;
      const observed = (...args: unknown[]): unknown => {
        if (name === "close") {
          isClosed = true;
          if (pinging) clearTimeout(pinging);
        }
        const result: unknown = operation.apply(target, args);
        if (result instanceof Promise) result.catch(observe);
        return result;
      };
      operations.set(name, observed);
      return observed;
    },
  });
}
