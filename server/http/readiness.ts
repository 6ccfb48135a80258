import { AppError } from "../contract/app-error.ts";
import type { Clock } from "../ports/clock.ts";
import { type Logger, createThrottledLog } from "../ports/logger.ts";
import type { Store } from "../ports/store.ts";

/** Resolves to the reasons why the service cannot accept and run webhooks. An empty list: it is ready. */
export type Readiness = () => Promise<string[]>;

interface ReadinessDeps {
  store: Pick<Store, "ping" | "listWorkers">;
  clock: Clock;
  logger: Logger;
  stopping: AbortSignal;
}

/** A worker reports every few seconds. */
const workerSilenceMs = 15_000;

/** The service is ready if the store is writable and a worker is alive, regardless of its pages. */
export function createReadiness({ store, clock, logger, stopping }: ReadinessDeps): Readiness {
  return async () => {
    if (stopping.aborted) return ["The service is shutting down."];
    try {
      await pingOnceASecond({ store, clock, logger });
      const workers = await store.listWorkers({ seenSince: clock.now() - workerSilenceMs });
      return workers.length > 0 ? [] : ["No worker has reported in the last 15 seconds."];
    } catch (error) {
      return [`Cannot write to the store.${error instanceof AppError ? ` ${error.message}` : ""}`];
    }
  };
}

/** A ping writes to the disk, and anonymous clients may request /readyz: the store is pinged at most once a second. */
async function pingOnceASecond({
  store,
  clock,
  logger,
}: Pick<ReadinessDeps, "store" | "clock" | "logger">): Promise<void> {
  const now = clock.now();
  const last = lastPings.get(store);
  if (last && now >= last.at && now < last.at + 1000) return last.answer;
  const answer = store.ping();
  const logFailure = last?.logFailure ?? createThrottledLog((message, fields) => logger.warn(message, fields));
  lastPings.set(store, { at: now, answer, logFailure });
  answer.catch((error: unknown) => logFailure("store not responding", { error }));
  return answer;
}

const lastPings = new WeakMap<object, { at: number; answer: Promise<void>; logFailure: Logger["warn"] }>();
