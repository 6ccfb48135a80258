import { randomUUID } from "node:crypto";
import { trackWork } from "../../domain/event-loop.ts";
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
  done: () => void;
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
  const inProgress = trackWork();

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
  function settle(isAccepted: boolean, accepting: Accepting): void {
    if (!isAccepted) return free(accepting);
    claims.queued(accepting.queued);
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
      const accepting = {
        queued: runs.length - reservations.length,
        reservations,
        since,
        done: inProgress.begin(),
      };
      accepted.then(
        ({ kind }) => settle(kind === "accepted", accepting),
        () => settle(false, accepting),
      );
      return accepted;
    },
    settled: inProgress.settled,
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
