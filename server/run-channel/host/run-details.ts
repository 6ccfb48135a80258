import { readEventResult } from "../../domain/runs/event-waits.ts";
import type { AssignedRun } from "../../ports/run-channel.ts";
import type { Store } from "../../ports/store.ts";
import type { ClaimedRun } from "../../ports/store/engine-store.ts";
import type { WorkerIdentity } from "../messages.ts";
import type { HostedWorker } from "./hosted-workers.ts";

/** The parts of an assigned run that are not in its row. */
export type RunDetails = Pick<AssignedRun, "steps" | "headers" | "request" | "failure" | "parents">;

/** Of the first start of a run. */
export const noDetails: RunDetails = { steps: [], headers: null, request: null, failure: null, parents: [] };

/** The properties of a worker on which the details of its runs depend. */
type Reader = Pick<HostedWorker, "readsRequest"> & { identity: Pick<WorkerIdentity, "needsHeaders"> };

/** Reads what the worker needs to start or to continue a run. */
export async function loadDetails(
  store: Pick<Store, "loadSteps" | "getDeliveryHeaders" | "getRun" | "listEventResults">,
  run: ClaimedRun,
  worker: Reader | undefined,
): Promise<RunDetails> {
  const [steps, headers, request, failure, parents] = await Promise.all([
    isFirstStart(run) ? [] : store.loadSteps(run.id),
    // Only spans depend on them.
    needsHeaders(run, worker) ? store.getDeliveryHeaders(run.deliveryId ?? "").catch(() => null) : null,
    needsRequest(run, worker) ? loadRequest(store, run) : null,
    needsFailure(run) ? store.getRun(run.failureOf) : null,
    loadParents(store, run.childOf),
  ]);
  return { steps, headers, request, failure, parents };
}

export const needsDetails = (run: ClaimedRun, worker: Reader | undefined): boolean =>
  !isFirstStart(run) || needsHeaders(run, worker) || needsRequest(run, worker) || needsFailure(run) || run.depth > 0;

const isFirstStart = (run: ClaimedRun) => run.attempt === 1 && !run.isResumed;

const needsHeaders = (run: ClaimedRun, worker: Reader | undefined) =>
  worker?.identity.needsHeaders === true && run.deliveryId !== null;

/** The transform builds the input in the first attempt only. Those of other builds than the current one may use it. */
const needsRequest = (run: ClaimedRun, worker: Reader | undefined) =>
  run.attachmentId !== null &&
  run.inputText === null &&
  (run.build !== undefined || worker?.readsRequest.has(run.attachmentId) === true);

/** The first attempt records it as the input. */
const needsFailure = (run: ClaimedRun): run is ClaimedRun & { failureOf: string } =>
  run.failureOf !== null && run.inputText === null;

/** The runs above a run, the nearest first. Those that retention has removed are left out. */
async function loadParents(
  store: Pick<Store, "getRun" | "listEventResults">,
  childOf: string | null,
): Promise<RunDetails["parents"]> {
  const parent = childOf === null ? null : await store.getRun(childOf);
  if (!parent) return [];
  const { trigger, target, payload, input, key } = parent;
  const events = (await store.listEventResults(parent.id)).flatMap((result) => readEventResult(result) ?? []);
  return [{ trigger, target, payload, input, key, events }, ...(await loadParents(store, parent.childOf))];
}

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
