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
  run: NewRun & Required<Pick<NewRun, "assignment">>;
  worker: HostedWorker;
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
    return { run: { ...run, assignment: { workerId: worker.identity.id, token: randomUUID(), leaseUntil } }, worker };
  }

  function reserveAll(runs: readonly NewRun[], leaseUntil: number): Reservation[] {
    if (claims.hasBacklog()) return [];
    return runs.flatMap((run) => reserve(run, leaseUntil) ?? []);
  }

  /** Called after the commit. If the delivery is not stored, its slots are freed; `accepted` reports why to its sender. */
  async function settle(
    request: AcceptRequest,
    { accepted, reservations, since }: { accepted: Promise<AcceptResult>; reservations: Reservation[]; since: number },
  ): Promise<void> {
    const isAccepted = await accepted.then(
      ({ kind }) => kind === "accepted",
      () => false,
    );
    if (isAccepted) {
      claims.queued(request.runs.length - reservations.length);
      await assign(reservations, since).catch((error: unknown) =>
        p.logger.warn("accepted runs could not be assigned; they continue when their leases expire", { error }),
      );
    }
    for (const { worker } of reservations) worker.reserved -= 1;
    claims.slotFreed();
  }

  async function assign(reservations: readonly Reservation[], since: number): Promise<void> {
    const chosen = new Map(reservations.map(({ worker }) => [worker.identity.id, worker]));
    const claimed = reservations.map(({ run }) => toClaimedRun(run));
    await p.assignRuns(claimed, { workers: chosen, since });
  }

  return {
    acceptDelivery(request) {
      const since = clock.now();
      const reservations = reserveAll(request.runs, since + p.leaseMs);
      const runs = new Map(reservations.map(({ run }) => [run.id, run]));
      const accepted = store.acceptDelivery(
        runs.size === 0 ? request : { ...request, runs: request.runs.map((run) => runs.get(run.id) ?? run) },
      );
      const settled = settle(request, { accepted, reservations, since }).finally(() => inProgress.delete(settled));
      inProgress.add(settled);
      return accepted;
    },
    async settled() {
      await Promise.all(inProgress);
    },
  };
}

function toClaimedRun({ assignment, ...run }: Reservation["run"]): ClaimedRun {
  const { id, trigger, attachmentId, target, deliveryId, maxAttempts, createdAt, payload, input } = run;
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
    payloadText: payload === null ? null : JSON.stringify(payload),
    inputText: input === null ? null : JSON.stringify(input),
  };
}
