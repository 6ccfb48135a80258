import { randomUUID } from "node:crypto";
import type { Clock } from "../../ports/clock.ts";
import type { Logger } from "../../ports/logger.ts";
import type { AcceptResult, DeliveryStore } from "../../ports/store/delivery-store.ts";
import type { ClaimedRun } from "../../ports/store/engine-store.ts";
import type { NewRun } from "../../ports/store/run-store.ts";
import type { AssignRuns } from "./assign-runs.ts";
import type { ClaimLoop } from "./claim-loop.ts";
import { freeSlots, type HostedWorker, type HostedWorkers } from "./hosted-worker.ts";
import { loadOf } from "./slots.ts";

type AcceptRequest = Parameters<DeliveryStore["acceptDelivery"]>[0];

/** A free slot, reserved for one of the accepted runs. */
interface Reservation {
  run: NewRun & { assignment: Required<NonNullable<NewRun["assignment"]>> };
  worker: HostedWorker;
}

interface Accepting {
  /** The number of its runs that will be queued. */
  queued: number;
  reservations: readonly Reservation[];
  /** The start of the leases. */
  since: number;
}

interface AcceptRunning {
  acceptDelivery(request: AcceptRequest): Promise<AcceptResult>;
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
  claims: Pick<ClaimLoop, "hasBacklog" | "queued" | "slotFreed">;
  assignRuns: AssignRuns;
  leaseMs: number;
  clock: Clock;
  logger: Logger;
}): AcceptRunning {
  const { store, workers, claims, clock } = p;
  const inProgress = new Set<Promise<unknown>>();

  function findWorker({ target, version }: NewRun): HostedWorker | null {
    let found: HostedWorker | null = null;
    for (const worker of workers.values()) {
      const { identity } = worker;
      if (identity.pool !== "shared" || identity.version !== version) continue;
      if (freeSlots(worker) === 0 || !p.canTakeRuns(worker)) continue;
      if (worker.limitedTargets.has(`${target.kind}:${target.slug}`)) continue;
      if (found === null || loadOf(worker) < loadOf(found)) found = worker;
    }
    return found;
  }

  function reserve(run: NewRun, leaseUntil: number): Reservation | null {
    const worker = findWorker(run);
    if (!worker) return null;
    worker.reserved += 1;
    const payloadText = run.payload === null ? null : JSON.stringify(run.payload);
    const assignment = { workerId: worker.identity.id, token: randomUUID(), leaseUntil, payloadText };
    return { run: { ...run, assignment }, worker };
  }

  /** Called after the commit. If the delivery is not stored, only its slots are freed. Its sender gets the reason. */
  function settle(isAccepted: boolean, { queued, reservations, since }: Accepting): Promise<void> | void {
    if (isAccepted) claims.queued(queued);
    const assigning = isAccepted ? assign(reservations, since) : undefined;
    if (!assigning) return free(reservations);
    return assigning
      .catch((error: unknown) =>
        p.logger.warn("accepted runs could not be assigned; they continue when their leases expire", { error }),
      )
      .then(() => free(reservations));
  }

  function assign(reservations: readonly Reservation[], since: number): Promise<void> | void {
    if (reservations.length === 0) return;
    const chosen = new Map(reservations.map(({ worker }) => [worker.identity.id, worker]));
    const claimed = reservations.map(({ run }) => toClaimedRun(run));
    return p.assignRuns(claimed, { workers: chosen, since });
  }

  function free(reservations: readonly Reservation[]): void {
    for (const { worker } of reservations) worker.reserved -= 1;
    claims.slotFreed();
  }

  return {
    acceptDelivery(request) {
      const since = clock.now();
      const reservations: Reservation[] = [];
      const runs = claims.hasBacklog()
        ? request.runs
        : request.runs.map((run) => {
            const reservation = reserve(run, since + p.leaseMs);
            if (reservation) reservations.push(reservation);
            return reservation?.run ?? run;
          });
      const accepted = store.acceptDelivery(reservations.length === 0 ? request : { ...request, runs });
      const accepting = { queued: runs.length - reservations.length, reservations, since };
      // One promise for each delivery: webhooks under load pay for each more.
      const settled: Promise<void> = accepted.then(
        ({ kind }) => settleAndForget(kind === "accepted"),
        () => settleAndForget(false),
      );
      const settleAndForget = (isAccepted: boolean): Promise<void> | void => {
        const settling = settle(isAccepted, accepting);
        if (settling) return settling.then(() => void inProgress.delete(settled));
        inProgress.delete(settled);
      };
      inProgress.add(settled);
      return accepted;
    },
    async settled() {
      await Promise.all(inProgress);
    },
  };
}

function toClaimedRun({ assignment, ...run }: Reservation["run"]): ClaimedRun {
  const { id, trigger, attachmentId, target, deliveryId, maxAttempts, createdAt, input } = run;
  return {
    ...assignment,
    id,
    trigger,
    attachmentId,
    target,
    deliveryId,
    maxAttempts,
    createdAt,
    status: "running",
    attempt: 1,
    isResumed: false,
    payloadText: assignment.payloadText,
    inputText: input === null ? null : JSON.stringify(input),
  };
}
