import type { Clock } from "../../ports/clock.ts";
import { type Logger, runLogFields } from "../../ports/logger.ts";
import type { AssignedRun } from "../../ports/run-channel.ts";
import type { Store } from "../../ports/store.ts";
import type { ClaimedRun } from "../../ports/store/engine-store.ts";
import { formatAssign } from "../messages.ts";
import { forget, type HostedWorker, type HostedWorkers } from "./hosted-worker.ts";

export interface AssignOptions {
  store: Pick<Store, "extendLeases" | "loadSteps" | "getDeliveryHeaders" | "getRun">;
  workers: HostedWorkers;
  leaseMs: number;
  clock: Clock;
  logger: Logger;
}

/** The parts of an assigned run that are not in its row. */
type Details = Pick<AssignedRun, "steps" | "headers" | "request">;

/**
 * Sends runs to the workers for which they were claimed. `workers`: the workers at the time of the claim. `since`: the
 * start of the leases. Returns a promise only if something must be read or written first.
 */
export type AssignRuns = (
  claimed: readonly ClaimedRun[],
  p: { workers: ReadonlyMap<string, HostedWorker>; since: number },
) => Promise<void> | void;

/** The first start of a run. */
const noDetails: Details = { steps: [], headers: null, request: null };

export function createAssignRuns({ store, workers, leaseMs, clock, logger }: AssignOptions): AssignRuns {
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
  function assign(run: ClaimedRun, needs: Details | null, worker: HostedWorker | undefined): void {
    if (!needs || !worker || workers.get(run.workerId) !== worker) return;
    takeFromOthers(run);
    worker.runs.set(run.id, run.token);
    if (worker.limitedTargets.has(`${run.target.kind}:${run.target.slug}`)) worker.limitedRuns.add(run.id);
    worker.stream.sendText(formatAssign(run, needs));
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

  async function load(run: ClaimedRun, worker: HostedWorker | undefined): Promise<Details | null> {
    try {
      const [steps, headers, request] = await Promise.all([
        isFirstStart(run) ? [] : store.loadSteps(run.id),
        // Only spans depend on them.
        needsHeaders(run, worker) ? store.getDeliveryHeaders(run.deliveryId ?? "").catch(() => null) : null,
        needsRequest(run, worker) ? loadRequest(store, run) : null,
      ]);
      return { steps, headers, request };
    } catch (error) {
      logger.error("run details could not be read; another worker will take the run", { ...runLogFields(run), error });
      return null;
    }
  }

  async function assignAfterLoading(...[claimed, { workers: before, since }]: Parameters<AssignRuns>): Promise<void> {
    const held = await extendIfLate(claimed, since);
    const loaded = await Promise.all(held.map((run) => load(run, before.get(run.workerId))));
    for (const [index, run] of held.entries()) assign(run, loaded[index] ?? null, before.get(run.workerId));
  }

  return (claimed, { workers: before, since }) => {
    const needsMore = (run: ClaimedRun) => {
      const worker = before.get(run.workerId);
      return !isFirstStart(run) || needsHeaders(run, worker) || needsRequest(run, worker);
    };
    if (isLate(clock.now(), since) || claimed.some(needsMore))
      return assignAfterLoading(claimed, { workers: before, since });
    for (const run of claimed) assign(run, noDetails, before.get(run.workerId));
  };
}

const isFirstStart = (run: ClaimedRun) => run.attempt === 1 && !run.isResumed;

const needsHeaders = (run: ClaimedRun, worker: HostedWorker | undefined) =>
  worker?.identity.needsHeaders === true && run.deliveryId !== null;

/** The transform builds the input in the first attempt only. */
const needsRequest = (run: ClaimedRun, worker: HostedWorker | undefined) =>
  run.attachmentId !== null && run.inputText === null && worker?.readsRequest.has(run.attachmentId) === true;

/** A replay of a replay, and so on. */
const maxReplays = 1000;

/** The request that started the run, or the run that it replays. */
async function loadRequest(
  store: Pick<Store, "getDeliveryHeaders" | "getRun">,
  run: ClaimedRun,
): Promise<AssignedRun["request"]> {
  let { deliveryId, createdAt: receivedAt, id } = run;
  for (let replays = 0; deliveryId === null && replays < maxReplays; replays += 1) {
    const replayed = await replayedBy(store, id);
    if (!replayed) return null;
    ({ id, deliveryId } = replayed);
    receivedAt = Date.parse(replayed.createdAt);
  }
  if (deliveryId === null) return null;
  return { deliveryId, receivedAt, headers: (await store.getDeliveryHeaders(deliveryId)) ?? {} };
}

async function replayedBy(store: Pick<Store, "getRun">, id: string) {
  const { replayOf = null } = (await store.getRun(id)) ?? {};
  return replayOf === null ? null : await store.getRun(replayOf);
}
