import type { DeliveryOutcome, DeliverySummary, VerdictList, VerdictOutcome } from "../contract/delivery.ts";
import type { ErrorCode } from "../contract/error-codes.ts";
import { type Target, targetName } from "../contract/project/target.ts";
import type { RunStatus } from "../contract/run.ts";

/** The counts of a service for its metrics: of deliveries, of runs, of commits, and of durations in buckets. */

type CountedDelivery = Pick<DeliverySummary, "endpoint" | "outcome" | "responseStatus" | keyof VerdictList>;

/** The counted part of an event of the receiver. */
export type CountedEvent =
  | { type: "delivery"; delivery: CountedDelivery; tookMs: number }
  | { type: "rejected" | "unrecorded"; code: ErrorCode }
  | { type: "unauthenticated" };

/** Seconds. */
export const deliveryDurationBounds = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5];

type Count = readonly [labels: readonly string[], count: number];

/** Counts of received webhooks since a process started. Plain data: it travels between processes. */
export interface DeliveryNumbers {
  /** By endpoint, outcome and status. */
  deliveries: readonly Count[];
  /** By endpoint and outcome. */
  verdicts: readonly Count[];
  /** Runs by trigger. */
  runs: readonly Count[];
  /** By error code. */
  rejections: readonly Count[];
  /** By error code. */
  unrecorded: readonly Count[];
  unauthenticated: number;
  /** Seconds, by outcome. */
  durations: readonly (readonly [outcome: string, durations: BucketCounts])[];
}

interface DeliveryTally {
  observe(event: CountedEvent): void;
  read(): DeliveryNumbers;
}

type VerdictTally = Record<VerdictOutcome, number>;

interface EndpointTally {
  /** By outcome, then by status. */
  outcomes: Map<DeliveryOutcome, Map<number, number>>;
  verdicts: VerdictTally;
}

const noVerdicts = (): VerdictTally => ({
  matched: 0,
  headers_mismatch: 0,
  query_mismatch: 0,
  request_mismatch: 0,
  filter_mismatch: 0,
  disabled: 0,
});

/** The label for unknown endpoints, whose names callers choose. No slug begins like this. */
const otherEndpoint = "_other";

/** Counts received webhooks: a few look-ups per webhook, and no new objects. `isDeclared`: the project has the endpoint. */
export function createDeliveryTally({ isDeclared }: { isDeclared: (endpoint: string) => boolean }): DeliveryTally {
  const endpoints = new Map<string, EndpointTally>();
  const durations = new Map<DeliveryOutcome, BucketTally>();
  const runs = new Map<string, number>();
  const rejections = new Map<string, number>();
  const unrecorded = new Map<string, number>();
  let unauthenticated = 0;

  function tallyOf(endpoint: string): EndpointTally {
    const known = endpoints.get(endpoint);
    if (known) return known;
    if (endpoint !== otherEndpoint && !isDeclared(endpoint)) return tallyOf(otherEndpoint);
    const tally: EndpointTally = { outcomes: new Map(), verdicts: noVerdicts() };
    endpoints.set(endpoint, tally);
    return tally;
  }

  function observeDelivery(delivery: CountedDelivery, tookMs: number): void {
    const { endpoint, outcome, responseStatus } = delivery;
    const tally = tallyOf(endpoint);
    const statuses = tally.outcomes.get(outcome);
    if (statuses) addOne(statuses, responseStatus);
    else tally.outcomes.set(outcome, new Map([[responseStatus, 1]]));
    observeDuration(durations, outcome, tookMs / 1000);
    addVerdicts(tally.verdicts, delivery, outcome === "accepted" ? (trigger) => addOne(runs, trigger) : null);
  }

  return {
    observe(event) {
      switch (event.type) {
        case "delivery":
          return observeDelivery(event.delivery, event.tookMs);
        case "rejected":
          return addOne(rejections, event.code);
        case "unrecorded":
          return addOne(unrecorded, event.code);
        case "unauthenticated":
          unauthenticated += 1;
      }
    },
    read: () => ({
      deliveries: [...endpoints].flatMap(([endpoint, { outcomes }]) =>
        [...outcomes].flatMap(([outcome, statuses]) =>
          [...statuses].map(([status, count]): Count => [[endpoint, outcome, String(status)], count]),
        ),
      ),
      verdicts: [...endpoints].flatMap(([endpoint, { verdicts }]) =>
        Object.entries(verdicts).map(([outcome, count]): Count => [[endpoint, outcome], count]),
      ),
      runs: toCounts(runs),
      rejections: toCounts(rejections),
      unrecorded: toCounts(unrecorded),
      unauthenticated,
      durations: [...durations].map(([outcome, tally]) => [outcome, tally.read()] as const),
    }),
  };
}

/** Adds the counts of two processes that receive: the receiver, and web for deliveries from a form. */
export function addDeliveryNumbers(a: DeliveryNumbers, b: DeliveryNumbers | null): DeliveryNumbers {
  if (!b) return a;
  const durations = new Map(a.durations);
  for (const [outcome, more] of b.durations) {
    const known = durations.get(outcome);
    durations.set(outcome, known ? addBuckets(known, more) : more);
  }
  return {
    deliveries: addCounts(a.deliveries, b.deliveries),
    verdicts: addCounts(a.verdicts, b.verdicts),
    runs: addCounts(a.runs, b.runs),
    rejections: addCounts(a.rejections, b.rejections),
    unrecorded: addCounts(a.unrecorded, b.unrecorded),
    unauthenticated: a.unauthenticated + b.unauthenticated,
    durations: [...durations],
  };
}

function addCounts(a: readonly Count[], b: readonly Count[]): Count[] {
  const sums = new Map<string, Count>();
  for (const [labels, count] of [...a, ...b]) {
    const name = labels.join("\n");
    sums.set(name, [labels, (sums.get(name)?.[1] ?? 0) + count]);
  }
  return [...sums.values()];
}

function toCounts(counts: ReadonlyMap<string, number>): Count[] {
  return Array.from(counts, ([label, count]): Count => [[label], count]);
}

function observeDuration(
  durations: Map<DeliveryOutcome, BucketTally>,
  outcome: DeliveryOutcome,
  seconds: number,
): void {
  const known = durations.get(outcome);
  if (known) return known.observe(seconds);
  const tally = createBucketTally(deliveryDurationBounds);
  durations.set(outcome, tally);
  tally.observe(seconds);
}

function addOne<Key>(counts: Map<Key, number>, key: Key): void {
  counts.set(key, (counts.get(key) ?? 0) + 1);
}

function addVerdicts(
  tally: VerdictTally,
  { verdicts, unlistedVerdicts }: VerdictList,
  onMatch: ((trigger: string) => void) | null,
): void {
  for (const { outcome, trigger } of verdicts) {
    tally[outcome] += 1;
    if (onMatch && outcome === "matched") onMatch(trigger);
  }
  for (const { outcome, count } of unlistedVerdicts) tally[outcome] += count;
}

// ---- Runs ----

/** Seconds. */
export const runDurationBounds = [0.005, 0.025, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 300, 1800];
export const startLatencyBounds = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 1, 5, 30, 300, 3600];

/** Counts of one target's runs since the service started. Plain data: the supervisor counts, and web serves it. */
export interface RunNumbers {
  target: Target;
  started: number;
  retried: number;
  /** By the state in which they ended. */
  finished: Partial<Record<RunStatus, number>>;
  /** Seconds of one execution of the code. */
  durations: BucketCounts;
  /** Seconds from the record of the run to its first start. */
  startLatencies: BucketCounts;
}

interface RunTally {
  started(run: { target: Target; latencyMs: number }): void;
  /** The code ended or suspended. `waiting` with an error is a retry. `durationMs: null`: unknown. */
  ended(run: { target: Target; status: RunStatus; hasFailed: boolean; durationMs: number | null }): void;
  read(): RunNumbers[];
}

interface Entry {
  target: Target;
  started: number;
  retried: number;
  finished: Map<RunStatus, number>;
  durations: BucketTally;
  startLatencies: BucketTally;
}

/** Counts runs by target. */
export function createRunTally(): RunTally {
  const entries = new Map<string, Entry>();
  const entryOf = (target: Target): Entry => {
    const name = targetName(target);
    const known = entries.get(name);
    if (known) return known;
    const entry: Entry = {
      target: { kind: target.kind, slug: target.slug },
      started: 0,
      retried: 0,
      finished: new Map(),
      durations: createBucketTally(runDurationBounds),
      startLatencies: createBucketTally(startLatencyBounds),
    };
    entries.set(name, entry);
    return entry;
  };
  return {
    started({ target, latencyMs }) {
      const entry = entryOf(target);
      entry.started += 1;
      // Negative if the clock was set back in the meantime.
      entry.startLatencies.observe(Math.max(0, latencyMs) / 1000);
    },
    ended({ target, status, hasFailed, durationMs }) {
      const entry = entryOf(target);
      if (durationMs !== null) entry.durations.observe(durationMs / 1000);
      if (status === "waiting" && hasFailed) entry.retried += 1;
      if (status !== "waiting" && status !== "queued")
        entry.finished.set(status, (entry.finished.get(status) ?? 0) + 1);
    },
    read: () =>
      [...entries.values()].map(({ target, started, retried, finished, durations, startLatencies }) => ({
        target,
        started,
        retried,
        finished: Object.fromEntries(finished),
        durations: durations.read(),
        startLatencies: startLatencies.read(),
      })),
  };
}

/**
 * The counts of a service's supervisor, of its processes and their runs, since its start. Plain data: the supervisor
 * sends it to a web process that serves metrics.
 */
export interface ServiceNumbers {
  runs: RunNumbers[];
  workers: {
    /** The processes that accept runs now, by pool. */
    ready: { shared: number; isolated: number };
    rssBytes: { shared: number; isolated: number };
    /** Processes that ended, by why. `retired`: it was shut down or replaced. */
    ended: Record<"retired" | "killed" | "stopped" | "crashed" | "blocked", number>;
  };
  /** The number of restarts of the web process. */
  webRestarts: number;
}

// ---- Commits of the store ----

/** Seconds. */
export const commitDurationBounds = [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 1, 5];
/** Seconds. */
export const writeWaitBounds = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5];
export const commitWritesBounds = [1, 2, 4, 8, 16, 32, 64, 128, 256];

/** Statistics of a store in this process since it was opened. */
export interface StoreNumbers {
  /** Writes that currently wait for the disk. */
  waitingWrites: number;
  /** Failed writes: each caller got an error. */
  failedWrites: number;
  /** Writes that shared a commit. */
  commitWrites: BucketCounts;
  /** Seconds that a commit with an fsync took. */
  commitDurations: BucketCounts;
  /** Seconds from the request of a write until it was on disk. */
  writeWaits: BucketCounts;
  /** Bytes of the files on disk; 0 for a missing file. */
  fileBytes: { database: number; log: number };
}

/** Counts commits and measures the waits for them. */
export interface CommitTally {
  /** Called after the last operation of a transaction, before its COMMIT. */
  beginCommit(): void;
  /** Called after the commit. `since` is the time of each request for a write, in monotonic milliseconds. */
  committed(writes: readonly { since: number }[], isSynced: boolean): void;
  failed(writes: number): void;
  /** For commits that overlap with these. `read` of either has both. */
  overlapping(): CommitTally;
  read(): Omit<StoreNumbers, "waitingWrites" | "fileBytes">;
}

export function createCommitTally(): CommitTally {
  const commitWrites = createBucketTally(commitWritesBounds);
  const commitDurations = createBucketTally(commitDurationBounds);
  const writeWaits = createBucketTally(writeWaitBounds);
  let failedWrites = 0;

  function create(): CommitTally {
    let commitStartedAt = 0;
    return {
      beginCommit: () => void (commitStartedAt = performance.now()),
      committed(writes, isSynced) {
        const now = performance.now();
        commitWrites.observe(writes.length);
        if (isSynced) commitDurations.observe((now - commitStartedAt) / 1000);
        for (const { since } of writes) writeWaits.observe((now - since) / 1000);
      },
      failed: (writes) => void (failedWrites += writes),
      overlapping: create,
      read: () => ({
        failedWrites,
        commitWrites: commitWrites.read(),
        commitDurations: commitDurations.read(),
        writeWaits: writeWaits.read(),
      }),
    };
  }

  return create();
}

// ---- Buckets ----

/** How many values fell between bounds, as a histogram of Prometheus has them. Plain data: it travels between processes. */
export interface BucketCounts {
  /** The number of values up to each bound and over the previous one. The last number: values over all bounds. */
  counts: readonly number[];
  sum: number;
}

interface BucketTally {
  /** Takes a few nanoseconds and allocates nothing. */
  observe(value: number): void;
  read(): BucketCounts;
}

/** `bounds` must ascend. A value that equals a bound is below it. */
export function createBucketTally(bounds: readonly number[]): BucketTally {
  const counts = Array.from({ length: bounds.length + 1 }, () => 0);
  let sum = 0;
  return {
    observe(value) {
      let at = 0;
      while (at < bounds.length && value > (bounds[at] ?? Infinity)) at += 1;
      counts[at] = (counts[at] ?? 0) + 1;
      sum += value;
    },
    read: () => ({ counts: [...counts], sum }),
  };
}

/** The sum of two counts with the same bounds. */
function addBuckets(a: BucketCounts, b: BucketCounts): BucketCounts {
  return { counts: a.counts.map((count, at) => count + (b.counts[at] ?? 0)), sum: a.sum + b.sum };
}
