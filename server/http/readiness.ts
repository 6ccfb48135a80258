import { AppError } from "../contract/app-error.ts";
import { describeBlockedRuns } from "../domain/runs/blocked-work.ts";
import { describeStall } from "../domain/store-stall.ts";
import type { Clock } from "../ports/clock.ts";
import { type DueWork, readDueWork } from "../ports/due-work.ts";
import type { Logger } from "../ports/logger.ts";
import type { ProjectReader } from "../ports/project.ts";
import type { Store } from "../ports/store.ts";

/** What a health check reports. The service is ready if there are no reasons against it. */
interface ReadinessReport {
  /** Why the service cannot accept and run webhooks. */
  reasons: string[];
  /** Why some runs do not start, although the service accepts webhooks. */
  warnings: string[];
}

export type Readiness = () => Promise<ReadinessReport>;

interface ReadinessDeps {
  store: Pick<Store, "ping" | "listWorkers" | "listDueRuns" | "stall">;
  project: Pick<ProjectReader, "current">;
  clock: Clock;
  logger: Logger;
  stopping: AbortSignal;
}

/**
 * The service is ready if the store is writable and a worker is alive, regardless of its pages, unless runs are due and
 * no worker responds. While all workers are busy, it is ready: webhooks are accepted, and their runs are queued.
 */
export function createReadiness(deps: ReadinessDeps): Readiness {
  return async () => {
    if (deps.stopping.aborted) return { reasons: ["The service is shutting down."], warnings: [] };
    // Another check would wait as well, for longer than a probe does.
    const stall = deps.store.stall?.();
    if (stall) return { reasons: [describeStall(stall)], warnings: [] };
    try {
      return reportWork(await checkOnceASecond(deps));
    } catch (error) {
      const detail = error instanceof AppError ? ` ${error.message}` : "";
      return { reasons: [`Cannot write to the store.${detail}`], warnings: [] };
    }
  };
}

function reportWork({ blocked, workers }: DueWork): ReadinessReport {
  const hasWorker = workers.some(({ pool }) => pool !== "isolated");
  const [outages, others] = [true, false].map((isOutage) =>
    blocked.filter((runs) => runs.isOutage === isOutage).map(describeBlockedRuns),
  );
  return {
    reasons: [...(hasWorker ? [] : ["No worker has reported in the last 15 seconds."]), ...(outages ?? [])],
    warnings: others ?? [],
  };
}

/** The check writes to the disk, and anonymous clients may request /readyz: it is made at most once a second. */
async function checkOnceASecond({ store, project, clock, logger }: ReadinessDeps): Promise<DueWork> {
  const now = clock.now();
  const last = lastChecks.get(store);
  if (last && now >= last.at && now < last.at + 1000) return last.answer;
  const answer = store.ping().then(() => readDueWork({ store, manifest: project.current().manifest, now }));
  lastChecks.set(store, { at: now, answer });
  answer.catch((error: unknown) => logger.warn("store not responding", { error }));
  return answer;
}

const lastChecks = new WeakMap<object, { at: number; answer: Promise<DueWork> }>();
