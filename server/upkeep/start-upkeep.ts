import type { Clock } from "../ports/clock.ts";
import type { Logger } from "../ports/logger.ts";
import { removeOld, type Retention } from "./remove-old.ts";

const firstAfterMs = 60_000;
const everyMs = 10 * 60_000;
/** Of the time that others could write in, upkeep takes at most a sixth. */
const pausePerMs = 5;
const minPauseMs = 20;

/** Keeps the store in order for as long as the service runs: a while after the start, then every ten minutes. */
export function startUpkeep(p: {
  store: Parameters<typeof removeOld>[0]["store"];
  retention: Retention;
  maxDedupeMs: () => Promise<number | null>;
  /** Several servers may have the store open: one of them does it. */
  isOurTurn: () => Promise<boolean>;
  clock: Clock;
  logger: Logger;
}): { close(): Promise<void> } {
  const { store, retention, logger } = p;
  const stopping = new AbortController();
  let timer = setTimeout(begin, firstAfterMs).unref();
  let running: Promise<void> = Promise.resolve();

  function begin(): void {
    running = look().finally(() => {
      if (!stopping.signal.aborted) timer = setTimeout(begin, everyMs).unref();
    });
  }

  async function look(): Promise<void> {
    try {
      if (!(await p.isOurTurn())) return;
      const removed = await removeOld({
        store,
        retention,
        maxDedupeMs: await p.maxDedupeMs(),
        now: p.clock.now(),
        pause,
      });
      if (Object.values(removed).some((rows) => rows > 0))
        logger.info("what is no longer kept was removed", { ...removed });
    } catch (error) {
      if (!stopping.signal.aborted)
        logger.warn("what is no longer kept could not be removed; trying again later", { error });
    }
  }

  /** Ends at once when the service stops. */
  function pause(tookMs: number): Promise<boolean> {
    const { signal } = stopping;
    return new Promise((resolve) => {
      if (signal.aborted) return resolve(false);
      const end = () => {
        clearTimeout(waiting);
        signal.removeEventListener("abort", end);
        resolve(!signal.aborted);
      };
      const waiting = setTimeout(end, Math.max(minPauseMs, tookMs * pausePerMs));
      signal.addEventListener("abort", end);
    });
  }

  return {
    async close() {
      stopping.abort();
      clearTimeout(timer);
      await running;
    },
  };
}
