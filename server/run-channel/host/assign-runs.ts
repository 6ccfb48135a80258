import { targetName } from "../../contract/project/target.ts";
import { randomUUID } from "node:crypto";
import { trackWork } from "../../domain/event-loop.ts";
import type { Clock } from "../../ports/clock.ts";
import { type Logger, runLogFields } from "../../ports/logger.ts";
import type { Store } from "../../ports/store.ts";
import type { AcceptResult, DeliveryStore } from "../../ports/store/delivery-store.ts";
import type { ClaimedRun } from "../../ports/store/engine-store.ts";
import type { NewRun } from "../../ports/store/new-run.ts";
import { planFailureRun } from "../../domain/runs/failure-run.ts";
import { planAttemptEnd } from "../../engine/plan-run-end.ts";
import { formatAssign } from "../messages.ts";
import { forget, freeSlots, type HostedWorker, type HostedWorkers, loadOf } from "./hosted-workers.ts";
import type { FindBuilds } from "./recover-lost-runs.ts";
import { loadDetails, needsDetails, noDetails, type RunDetails } from "./run-details.ts";

const isLimited = ({ limitedTargets }: HostedWorker, target: NewRun["target"]): boolean =>
  limitedTargets.size > 0 && limitedTargets.has(targetName(target));

/** A free slot, reserved for one of the accepted runs. */
interface Reservation {
  run: NewRun & { assignment: Required<NonNullable<NewRun["assignment"]>> };
  worker: HostedWorker;
}

interface Accepting {
  /** The number of its runs that will be queued, and the targets of those whose target limits its concurrency. */
  queued: number;
  limited: readonly string[];
  reservations: readonly Reservation[];
  /** The start of the leases. */
  since: number;
  done: () => void;
}

/** The part of the claim loop that accepted deliveries affect. */
interface Claims {
  hasBacklog(): boolean;
  queued(count: number, limited: readonly string[]): void;
  slotFreed(): void;
  wake(): void;
}

interface AcceptRunning {
  acceptDelivery: DeliveryStore["acceptDelivery"];
  /** Resolves when the deliveries in progress are accepted and their runs are assigned. */
  settled(): Promise<void>;
}

/**
 * Accepts deliveries. A run for which a worker is free is recorded as running by the same transaction, and assigned
 * after it: it is never queued, and needs no claim. A run is queued if there is no free slot, if due runs wait, if its
 * target limits its concurrency, or if there is no worker of its version.
 */
export function createAcceptRunning(p: {
  store: Pick<DeliveryStore, "acceptDelivery">;
  workers: HostedWorkers;
  canTakeRuns: (worker: HostedWorker) => boolean;
  claims: Claims;
  assignRuns: AssignRuns;
  /** Called when a delivery left runs waiting that a search will wake. */
  onMoreWaiting: () => void;
  leaseMs: number;
  clock: Clock;
  logger: Logger;
}): AcceptRunning {
  const { store, workers, claims, clock } = p;
  const inProgress = trackWork();

  function findWorker({ target, version }: NewRun): HostedWorker | null {
    let found: HostedWorker | null = null;
    for (const worker of workers.values()) {
      const { identity } = worker;
      if (identity.pool !== "shared" || identity.version !== version) continue;
      if (freeSlots(worker) === 0 || !p.canTakeRuns(worker)) continue;
      if (isLimited(worker, target)) continue;
      if (found === null || loadOf(worker) < loadOf(found)) found = worker;
    }
    return found;
  }

  function limitedTargetsOf(runs: readonly NewRun[]): string[] {
    const known = [...workers.values()];
    const limited = runs.filter(({ target }) => known.some((worker) => isLimited(worker, target)));
    return limited.map(({ target }) => targetName(target));
  }

  function reserve(run: NewRun, leaseUntil: number): Reservation | null {
    const worker = findWorker(run);
    if (!worker) return null;
    const payloadText = run.payload === null ? null : JSON.stringify(run.payload);
    worker.reserved += 1;
    const assignment = { workerId: worker.identity.id, token: randomUUID(), leaseUntil, payloadText };
    return { run: { ...run, assignment }, worker };
  }

  function reserveAll(runs: readonly NewRun[], leaseUntil: number): Reservation[] {
    const reservations: Reservation[] = [];
    try {
      for (const run of runs) {
        const reservation = reserve(run, leaseUntil);
        if (reservation) reservations.push(reservation);
      }
    } catch (error) {
      // The JSON of a payload has more characters than a string can have.
      for (const { worker } of reservations) worker.reserved -= 1;
      throw error;
    }
    return reservations;
  }

  /**
   * Called after the commit. If the delivery is not stored (`null`), only its slots are freed. Its sender gets the
   * reason.
   */
  function settle(
    accepted: Omit<Extract<AcceptResult, { kind: "accepted" }>, "kind"> | null,
    accepting: Accepting,
  ): void {
    if (!accepted) return free(accepting);
    if (accepted.woke?.length) claims.wake();
    if (accepted.hasMoreWaiting) p.onMoreWaiting();
    claims.queued(accepting.queued, accepting.limited);
    const assigning = assign(accepting);
    if (!assigning) return free(accepting);
    assigning
      .catch((error: unknown) =>
        p.logger.warn("accepted runs could not be assigned; they continue when their leases expire", { error }),
      )
      .finally(() => free(accepting));
  }

  function assign({ reservations, since }: Accepting): Promise<void> | void {
    if (reservations.length === 0) return;
    const chosen = new Map(reservations.map(({ worker }) => [worker.identity.id, worker]));
    const claimed = reservations.map(({ run }) => toClaimedRun(run));
    return p.assignRuns(claimed, { workers: chosen, since });
  }

  function free({ reservations, done }: Accepting): void {
    for (const { worker } of reservations) worker.reserved -= 1;
    claims.slotFreed();
    done();
  }

  return {
    acceptDelivery(request, terms) {
      const since = clock.now();
      const reservations = claims.hasBacklog() ? [] : reserveAll(request.runs, since + p.leaseMs);
      const reserved = new Map(reservations.map(({ run }) => [run.id, run]));
      const runs = request.runs.map((run) => reserved.get(run.id) ?? run);
      const accepted = store.acceptDelivery(reservations.length === 0 ? request : { ...request, runs }, terms);
      const queued = runs.length - reservations.length;
      const accepting = {
        queued,
        limited: queued === 0 ? [] : limitedTargetsOf(request.runs),
        reservations,
        since,
        done: inProgress.begin(),
      };
      accepted.then(
        (result) => settle(result.kind === "accepted" ? result : null, accepting),
        () => settle(null, accepting),
      );
      return accepted;
    },
    settled: inProgress.settled,
  };
}

function toClaimedRun({ assignment, ...run }: Reservation["run"]): ClaimedRun {
  const { id, trigger, attachmentId, target, deliveryId, maxAttempts, createdAt, input, key = null } = run;
  return {
    ...assignment,
    id,
    trigger,
    attachmentId,
    target,
    deliveryId,
    maxAttempts,
    createdAt,
    failureOf: null,
    key,
    childOf: null,
    depth: 0,
    status: "running",
    attempt: 1,
    attemptsBefore: 0,
    isResumed: false,
    payloadText: assignment.payloadText,
    inputText: input === null ? null : JSON.stringify(input),
  };
}

/** A frame has at most 1 GiB, and a character at most three bytes. */
const maxAssignChars = 256 * 1024 * 1024;
/** The runs whose details are read at a time: those of one run can have 64 MB. */
const maxLoading = 8;

interface AssignOptions {
  findBuilds: FindBuilds;
  /** Called when a run ended without being assigned: the run of its `onFailure` may be due. */
  onEnded: () => void;
  store: Pick<
    Store,
    "writeProgress" | "extendLeases" | "loadSteps" | "getDeliveryHeaders" | "getRun" | "listEventResults"
  >;
  workers: HostedWorkers;
  leaseMs: number;
  clock: Clock;
  logger: Logger;
}

/**
 * Sends runs to the workers for which they were claimed. `workers`: the workers at the time of the claim. `since`: the
 * start of the leases. Returns a promise only if something must be read or written first.
 */
export type AssignRuns = (
  claimed: readonly ClaimedRun[],
  p: { workers: ReadonlyMap<string, HostedWorker>; since: number },
) => Promise<void> | void;

export function createAssignRuns({
  store,
  workers,
  findBuilds,
  onEnded,
  leaseMs,
  clock,
  logger,
}: AssignOptions): AssignRuns {
  /** The host was paused while it claimed, or waited long for the store: other hosts may be taking its runs already. */
  const isLate = (now: number, since: number) => now - since > leaseMs / 3;

  /** Extends leases that are almost over. Returns the runs that are not lost. */
  async function extendIfLate(claimed: readonly ClaimedRun[], since: number): Promise<readonly ClaimedRun[]> {
    const now = clock.now();
    if (claimed.length === 0 || !isLate(now, since)) return claimed;
    const runs = claimed.map(({ id, token }) => ({ id, token }));
    const { lost } = await store.extendLeases({ runs, now, leaseMs });
    const isLost = new Set(lost);
    return claimed.filter(({ id }) => !isLost.has(id)).map((run) => ({ ...run, leaseUntil: now + leaseMs }));
  }

  /** A run whose worker has disconnected is recovered when the worker reconnects or dies, or when the lease expires. */
  function assign(run: ClaimedRun, details: RunDetails | null, worker: HostedWorker | undefined): void {
    if (!details || !worker || workers.get(run.workerId) !== worker) return;
    const text = format(run, details);
    if (text === null) return void failTooLarge(run, worker.identity.version);
    takeFromOthers(run);
    // Without runs, it had no leases to extend.
    if (worker.runs.size === 0) worker.leaseUntil = run.leaseUntil;
    worker.runs.set(run.id, run.token);
    if (isLimited(worker, run.target)) worker.limitedRuns.add(run.id);
    worker.stream.sendText(text);
  }

  /** Fails it, so that the others of its batch are assigned. */
  async function failTooLarge(run: ClaimedRun, currentVersion: string): Promise<void> {
    const error = {
      name: "RunTooLarge",
      message:
        "The payload, the input and the stored steps of the run have more than 256 million characters together, and cannot be sent to a worker. Store large data elsewhere, and start the run with a reference.",
      stack: null,
    };
    logger.error("run is too large for a worker, and fails", runLogFields(run));
    const { id: runId, token } = run;
    const now = clock.now();
    try {
      const accepted = { version: run.build?.acceptedBy ?? currentVersion, target: run.target };
      const { version, target } = (await findBuilds([accepted]))(accepted);
      const end = planAttemptEnd({
        failure: { error, isTimeout: false, isRetryable: false },
        policy: null,
        onFailure: () => planFailureRun({ run, target, version, now }),
        attempt: run.attempt,
        maxAttempts: run.maxAttempts,
        attemptsBefore: run.attemptsBefore,
        now,
        random: Math.random,
      });
      await store.writeProgress({ runId, token, now, ...end });
      onEnded();
    } catch (cause) {
      logger.error("run could not be failed", { ...runLogFields(run), error: cause });
    }
  }

  /** A paused worker may not know yet that its lease has expired. */
  function takeFromOthers({ id }: ClaimedRun): void {
    for (const worker of workers.values()) {
      const token = worker.runs.get(id);
      if (token === undefined) continue;
      forget(worker, { id, token });
      worker.stream.send({ type: "lost", run: { id, token } });
    }
  }

  async function load(run: ClaimedRun, worker: HostedWorker | undefined): Promise<RunDetails | null> {
    try {
      return await loadDetails(store, run, worker);
    } catch (error) {
      logger.error("run details could not be read; another worker will take the run", { ...runLogFields(run), error });
      return null;
    }
  }

  async function assignAfterLoading(...[claimed, { workers: before, since }]: Parameters<AssignRuns>): Promise<void> {
    const held = await extendIfLate(claimed, since);
    for (let from = 0; from < held.length; from += maxLoading) {
      const batch = held.slice(from, from + maxLoading);
      const loaded = await Promise.all(batch.map((run) => load(run, before.get(run.workerId))));
      for (const [index, run] of batch.entries()) assign(run, loaded[index] ?? null, before.get(run.workerId));
    }
  }

  return (claimed, { workers: before, since }) => {
    const needsMore = (run: ClaimedRun) => needsDetails(run, before.get(run.workerId));
    if (isLate(clock.now(), since) || claimed.some(needsMore))
      return assignAfterLoading(claimed, { workers: before, since });
    for (const run of claimed) assign(run, noDetails, before.get(run.workerId));
  };
}

/**
 * The message of a run; `null`: it is too large for one. `onFailure` also gets a failed run that is too large, without
 * its data.
 */
function format(run: ClaimedRun, { failure, ...details }: RunDetails): string | null {
  const text = formatWithin(run, { ...details, failure });
  if (text !== null || failure === null) return text;
  return formatWithin(run, { ...details, failure: { ...failure, input: null, payload: null } });
}

function formatWithin(run: ClaimedRun, details: RunDetails): string | null {
  try {
    const text = formatAssign(run, details);
    return text.length <= maxAssignChars ? text : null;
  } catch (error) {
    // A string has at most 512 Mi characters.
    if (error instanceof RangeError) return null;
    throw error;
  }
}
