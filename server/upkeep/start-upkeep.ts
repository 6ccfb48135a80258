import type { Clock } from "../ports/clock.ts";
import type { Logger } from "../ports/logger.ts";
import { removeOld, type Retention } from "./remove-old.ts";

const firstAfterMs = 60_000;
const everyMs = 10 * 60_000;
/** Upkeep uses at most a sixth of the writable time. */
const pausePerMs = 5;
const minPauseMs = 20;

/** Runs upkeep of the store shortly after the start, then every ten minutes. */
export function startUpkeep(p: {
  store: Parameters<typeof removeOld>[0]["store"];
  retention: Retention;
  maxDedupeMs: () => Promise<number | null>;
  /** If several servers share the store, one of them runs upkeep. */
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
      if (Object.values(removed).some((rows) => rows > 0)) logger.info("old data was removed", { ...removed });
    } catch (error) {
      if (!stopping.signal.aborted) logger.warn("old data could not be removed; it will be retried", { error });
    }
  }

  /** Stops immediately when the server shuts down. */
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
