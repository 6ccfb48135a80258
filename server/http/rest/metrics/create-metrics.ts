import { collectDefaultMetrics, Registry } from "prom-client";
import { blockReasons, type BlockReason, type DueRuns, type Pool, pools } from "../../../domain/runs/blocked-work.ts";
import {
  addDeliveryNumbers,
  commitDurationBounds,
  commitWritesBounds,
  type CountedEvent,
  createDeliveryTally,
  runDurationBounds,
  type RunNumbers,
  startLatencyBounds,
  type StoreNumbers,
  writeWaitBounds,
} from "../../../domain/tallies.ts";
import { systemClock } from "../../../ports/clock.ts";
import type { DueWork } from "../../../ports/due-work.ts";
import type { ServiceReport } from "../../../ports/service-report.ts";
import type { Store } from "../../../ports/store.ts";
import type { QueueDepth } from "../../../ports/store/engine-store.ts";
import { registerDeliveryMetrics } from "./delivery-metrics.ts";
import { createPulledMetrics, type PulledMetrics } from "./prometheus.ts";

const atMostEveryMs = 1_000;
/** Reading takes at most this share of the time, even if it is requested more often. */
const maxShare = 0.01;

/** Numbers for Prometheus, in a registry of their own. docs/metrics.md lists them. */
export interface Metrics {
  /** Counts a delivery that this process received. The receiver's report has its own deliveries. */
  observeReceiver(event: CountedEvent): void;
  /** Counts an API request without a valid key. */
  observeUnauthenticatedApi(): void;
  /** The text format of Prometheus, version 0.0.4. */
  render(): Promise<{ contentType: string; text: string }>;
}

export interface MetricsSources {
  store: Pick<Store, "countHeld" | "countOpenRuns" | "numbers" | "listQueueDepths" | "stall">;
  /** Whether the project has this endpoint: others are counted as one. */
  isDeclared: (endpoint: string) => boolean;
  /** Reads the due runs. */
  readWork: () => Promise<Pick<DueWork, "due" | "blocked">>;
  /** Returns the counts of the other processes; `null` if there are none. */
  readService?: (() => Promise<ServiceReport | null>) | undefined;
}

export function createMetrics({
  store,
  isDeclared,
  readWork,
  readService = () => Promise.resolve(null),
}: MetricsSources): Metrics {
  const registry = new Registry();
  collectDefaultMetrics({ register: registry });
  const metrics = createPulledMetrics(registry);
  const deliveries = createDeliveryTally({ isDeclared });
  let unauthenticatedApi = 0;
  const countOpenRuns = readSeldom(() => store.countOpenRuns());
  let openRuns: Awaited<ReturnType<typeof countOpenRuns>> = null;
  const countHeld = readSeldom(() => store.countHeld());
  let held: number | null = null;
  const listQueueDepths = readSeldom(() => store.listQueueDepths?.() ?? Promise.resolve([]));
  let queues: Awaited<ReturnType<typeof listQueueDepths>> = null;
  const readDueWork = readSeldom(readWork);
  let work: Awaited<ReturnType<typeof readDueWork>> = null;
  let inStore: StoreNumbers | null = null;
  let inService: ServiceReport | null = null;
  let received = deliveries.read();
  registerDeliveryMetrics(metrics, () => received);
  metrics.counter({
    name: "signalbox_unauthenticated_total",
    help: "Requests without a valid key, to webhook URLs or to the API.",
    labels: ["interface"],
    read: () =>
      Object.entries({ webhook: received.unauthenticated, api: unauthenticatedApi })
        .filter(([, count]) => count > 0)
        .map(([of, count]) => [{ interface: of }, count] as const),
  });
  metrics.gauge({
    name: "signalbox_open_runs",
    help: "Runs that have not ended, by status.",
    labels: ["status"],
    read: () => Object.entries(openRuns ?? {}).map(([status, count]) => [{ status }, count] as const),
  });
  metrics.gauge({
    name: "signalbox_held_deliveries",
    help: "Deliveries that started no run and wait to be released.",
    read: () => (held === null ? [] : [[{}, held] as const]),
  });
  registerWorkMetrics(metrics, () => work);
  const ofQueues = (pick: (queue: QueueDepth) => number) =>
    (queues ?? []).map((queue) => {
      const { version, pool, target } = queue;
      return [{ version, pool, target: target ?? "" }, pick(queue)] as const;
    });
  metrics.gauge({
    name: "signalbox_queue_runs",
    help: "Due runs of each queue, on Postgres.",
    labels: ["version", "pool", "target"],
    read: () => ofQueues(({ runs }) => runs),
  });
  metrics.gauge({
    name: "signalbox_queue_oldest_seconds",
    help: "Time since the oldest due run of each queue was queued, on Postgres.",
    labels: ["version", "pool", "target"],
    read: () => ofQueues(({ oldestSeconds }) => oldestSeconds),
  });
  metrics.counter({
    name: "signalbox_closed_connections_total",
    help: "Connections closed because of a limit, by limit and by which connection was closed.",
    labels: ["limit", "connection"],
    read: () =>
      (inService?.receiver?.closedConnections ?? []).map(({ closed, count }) => [{ ...closed }, count] as const),
  });
  metrics.gauge({
    name: "signalbox_store_unresponsive_seconds",
    help: "Time without a response of the store to this web process, from five seconds on; otherwise 0.",
    read: () => (store.stall ? [[{}, (store.stall()?.ms ?? 0) / 1_000]] : []),
  });
  // Senders wait for the commits of the receiver.
  registerStoreMetrics(metrics, () => inService?.receiver?.store ?? inStore);
  registerServiceMetrics(metrics, () => inService);
  return {
    observeReceiver: deliveries.observe,
    observeUnauthenticatedApi: () => void (unauthenticatedApi += 1),
    async render() {
      // A store that does not respond must not block the other metrics.
      [openRuns, held, queues, work, inStore, inService] = await Promise.all([
        countOpenRuns(),
        countHeld(),
        listQueueDepths(),
        readDueWork(),
        store.numbers().catch(() => null),
        readService(),
      ]);
      received = addDeliveryNumbers(deliveries.read(), inService?.receiver?.deliveries ?? null);
      return { contentType: registry.contentType, text: await registry.metrics() };
    },
  };
}

/**
 * Returns the last answer again for a second, or longer if reading takes long. Returns `null` if reading failed and
 * there is no answer yet.
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

/** Due runs, and those that no worker can take. `read` returns the last values. */
function registerWorkMetrics({ gauge }: PulledMetrics, read: () => Pick<DueWork, "due" | "blocked"> | null): void {
  const byPool = (pick: (due: readonly DueRuns[]) => number) => {
    const work = read();
    return work ? pools.map((pool) => [{ pool }, pick(work.due.filter((runs) => runs.pool === pool))] as const) : [];
  };
  gauge({
    name: "signalbox_due_runs",
    help: "Due runs that need nothing but a worker, by pool; at most 1,000 for each queue.",
    labels: ["pool"],
    read: () => byPool((due) => due.reduce((sum, { runs }) => sum + runs, 0)),
  });
  gauge({
    name: "signalbox_oldest_due_run_seconds",
    help: "Time since the oldest of these runs became due; 0 without one.",
    labels: ["pool"],
    read: () => byPool((due) => Math.max(0, ...due.map(({ oldestAt }) => (systemClock.now() - oldestAt) / 1000))),
  });
  gauge({
    name: "signalbox_blocked_runs",
    help: "Due runs that no worker can take, by pool and reason.",
    labels: ["pool", "reason"],
    read: () => {
      const work = read();
      if (!work) return [];
      const count = (pool: Pool, reason: BlockReason) =>
        work.blocked.reduce((sum, one) => sum + (one.pool === pool && one.reason === reason ? one.runs : 0), 0);
      return pools.flatMap((pool) => blockReasons.map((reason) => [{ pool, reason }, count(pool, reason)] as const));
    },
  });
}

/** Metrics of the store in the process that receives. `read` returns the last values. */
function registerStoreMetrics({ counter, gauge, histogram }: PulledMetrics, read: () => StoreNumbers | null): void {
  const each = <T>(pick: (numbers: StoreNumbers) => T) => {
    const numbers = read();
    return numbers ? [[{}, pick(numbers)] as const] : [];
  };
  gauge({
    name: "signalbox_store_waiting_writes",
    help: "Writes of the receiver that are waiting for the disk.",
    read: () => each(({ waitingWrites }) => waitingWrites),
  });
  counter({
    name: "signalbox_store_failed_writes_total",
    help: "Failed writes of the receiver.",
    read: () => each(({ failedWrites }) => failedWrites),
  });
  histogram({
    name: "signalbox_store_commit_writes",
    help: "Writes of the receiver per commit.",
    bounds: commitWritesBounds,
    read: () => each(({ commitWrites }) => commitWrites),
  });
  histogram({
    name: "signalbox_store_commit_duration_seconds",
    help: "Duration of a commit of the receiver, including fsync.",
    bounds: commitDurationBounds,
    read: () => each(({ commitDurations }) => commitDurations),
  });
  histogram({
    name: "signalbox_store_write_wait_seconds",
    help: "Time from the request for a write of the receiver until it is on disk.",
    bounds: writeWaitBounds,
    read: () => each(({ writeWaits }) => writeWaits),
  });
  gauge({
    name: "signalbox_store_file_bytes",
    help: "Size of the store's files on disk.",
    labels: ["file"],
    read: () => {
      const numbers = read();
      return numbers ? Object.entries(numbers.fileBytes).map(([file, bytes]) => [{ file }, bytes] as const) : [];
    },
  });
}

/** Runs and processes, as counted by the supervisor. `read` returns the last report. */
function registerServiceMetrics({ counter, gauge, histogram }: PulledMetrics, read: () => ServiceReport | null): void {
  const byTarget = <T>(pick: (numbers: RunNumbers) => T) =>
    (read()?.runs ?? []).map(
      (numbers) => [{ kind: numbers.target.kind, target: numbers.target.slug }, pick(numbers)] as const,
    );
  const byKey = (label: string, pick: (numbers: ServiceReport) => Record<string, number>) => {
    const numbers = read();
    return numbers ? Object.entries(pick(numbers)).map(([key, value]) => [{ [label]: key }, value] as const) : [];
  };
  const labels = ["kind", "target"];
  counter({
    name: "signalbox_runs_started_total",
    help: "Runs whose code started for the first time, by target.",
    labels,
    read: () => byTarget(({ started }) => started),
  });
  counter({
    name: "signalbox_runs_finished_total",
    help: "Ended runs, by target and status.",
    labels: [...labels, "status"],
    read: () =>
      (read()?.runs ?? []).flatMap(({ target, finished }) =>
        Object.entries(finished).map(
          ([status, count]) => [{ kind: target.kind, target: target.slug, status }, count] as const,
        ),
      ),
  });
  counter({
    name: "signalbox_run_retries_total",
    help: "Failed attempts that are retried, by target.",
    labels,
    read: () => byTarget(({ retried }) => retried),
  });
  histogram({
    name: "signalbox_run_duration_seconds",
    help: "Execution time of the code of a run without interruption, by target.",
    labels,
    bounds: runDurationBounds,
    read: () => byTarget(({ durations }) => durations),
  });
  histogram({
    name: "signalbox_run_start_latency_seconds",
    help: "Time from recording a run until its code starts, by target.",
    labels,
    bounds: startLatencyBounds,
    read: () => byTarget(({ startLatencies }) => startLatencies),
  });
  gauge({
    name: "signalbox_workers",
    help: "Worker processes that accept runs, by pool.",
    labels: ["pool"],
    read: () => byKey("pool", ({ workers }) => workers.ready),
  });
  gauge({
    name: "signalbox_worker_resident_memory_bytes",
    help: "Total memory of the worker processes of a pool.",
    labels: ["pool"],
    read: () => byKey("pool", ({ workers }) => workers.rssBytes),
  });
  counter({
    name: "signalbox_worker_exits_total",
    help: "Worker processes that ended, by reason.",
    labels: ["reason"],
    read: () => byKey("reason", ({ workers }) => workers.ended),
  });
  const single = (pick: (numbers: ServiceReport) => number | null) => {
    const numbers = read();
    const value = numbers && pick(numbers);
    return value === null ? [] : [[{}, value] as const];
  };
  counter({
    name: "signalbox_web_restarts_total",
    help: "Restarts of the web process.",
    read: () => single(({ webRestarts }) => webRestarts),
  });
  counter({
    name: "signalbox_receiver_restarts_total",
    help: "Restarts of the receiver.",
    read: () => single(({ receiverRestarts }) => receiverRestarts),
  });
  gauge({
    name: "signalbox_receiver_resident_memory_bytes",
    help: "Memory of the receiver.",
    read: () => single(({ receiver }) => receiver?.rssBytes ?? null),
  });
}
