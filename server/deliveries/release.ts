import { AppError } from "../contract/app-error.ts";
import {
  type Delivery,
  type ReleaseBatch,
  type ReleasedDelivery,
  type VerdictList,
  nearestMiss,
} from "../contract/delivery.ts";
import type { StartedBy } from "../contract/run.ts";
import { wasReleased } from "../domain/deliveries/held.ts";
import { queueFull } from "../domain/problem.ts";
import { maskVerdictsOf } from "../domain/privacy/mask-delivery.ts";
import { deliveredEvents } from "../matching/delivered-events.ts";
import type { Clock } from "../ports/clock.ts";
import type { Masking } from "../ports/masking.ts";
import type { ProjectReader } from "../ports/project.ts";
import type { Signals } from "../ports/signals.ts";
import type { SwitchStore } from "../ports/store.ts";
import type { DeliveryStore, HeldFilter, ReleaseRequest } from "../ports/store/delivery-store.ts";
import { evaluateAgain, requireStored } from "./evaluate-again.ts";
import { getDelivery } from "./read-deliveries.ts";

interface ReleaseDeps {
  store: Pick<DeliveryStore, "listHeld" | "releaseDelivery"> & Pick<SwitchStore, "listDisabledTriggers">;
  originals: Pick<DeliveryStore, "getDelivery">;
  masking: Pick<Masking, "readMasks">;
  project: ProjectReader;
  signals: Signals;
  clock: Clock;
}

/** `preview`: evaluates the deliveries, and writes and starts nothing. */
type ReleaseAction = "release" | "preview";

interface ReleaseOptions {
  action: ReleaseAction;
  startedBy: StartedBy;
}

/** Deliveries per call: small enough for a progress bar. */
const chunk = 50;
/** Their bodies are in memory at the same time, and their commits are shared. */
const atOnce = 10;

/**
 * Evaluates a held delivery by the current triggers. If any of them matches, its runs start; otherwise it stays held.
 * Safe to repeat and to run concurrently: each held delivery is released once. Throws AppError `not_found`,
 * `not_replayable` (it was never held, or cannot be evaluated) or `queue_full`.
 */
export async function releaseDelivery(
  deps: ReleaseDeps,
  { id, ...options }: { id: string } & ReleaseOptions,
): Promise<ReleasedDelivery> {
  const evaluated = await evaluateHeld(deps, id, options);
  if (!evaluated.request || options.action === "preview") return evaluated.answer;
  const written = await write(deps, evaluated);
  if (written.result === "released") deps.signals.runsQueued();
  return written;
}

/**
 * The same for many: for these ids, or for the next held deliveries of a filter, oldest first. Call again with
 * `nextCursor` until it is `null`. A delivery that cannot be released is reported and does not affect the others.
 */
export async function releaseDeliveries(
  deps: ReleaseDeps,
  request: ({ ids: readonly string[] } | { filter: HeldFilter; cursor: string | null }) & ReleaseOptions,
): Promise<ReleaseBatch> {
  const { data: ids, nextCursor } =
    "ids" in request
      ? { data: [...new Set(request.ids)], nextCursor: null }
      : await deps.store.listHeld(request.filter, { limit: chunk, cursor: request.cursor });
  const data: ReleasedDelivery[] = [];
  for (let from = 0; from < ids.length; from += atOnce) {
    const evaluated: (Evaluated | ReleasedDelivery)[] = [];
    for (const id of ids.slice(from, from + atOnce))
      evaluated.push(await orFailed({ id, endpoint: "" }, () => evaluateHeld(deps, id, request)));
    data.push(
      ...(await Promise.all(
        evaluated.map((one) => {
          if (!("answer" in one)) return one;
          return one.request && request.action === "release"
            ? orFailed(one.answer, () => write(deps, one))
            : one.answer;
        }),
      )),
    );
  }
  const released = data.filter(({ result }) => result === "released").length;
  if (released > 0 && request.action === "release") deps.signals.runsQueued();
  return { released, data, nextCursor };
}

interface Evaluated {
  /** The answer if nothing prevents the release. */
  answer: ReleasedDelivery;
  /** `null`: there is nothing to write. */
  request: ReleaseRequest | null;
}

async function evaluateHeld(deps: ReleaseDeps, id: string, { action, startedBy }: ReleaseOptions): Promise<Evaluated> {
  const old = await getDelivery({ store: deps.originals }, id);
  if (old.outcome !== "held") return { answer: releasedBefore(old), request: null };
  const stored = requireStored(old, { project: deps.project, trigger: null });
  const at = deps.clock.now();
  const { decision } = await evaluateAgain(deps, old, {
    ...stored,
    isOne: false,
    deliveryId: id,
    startedBy,
    now: at,
    onMismatch: "hold",
  });
  const { runs, verdicts, unlistedVerdicts } = decision;
  const of = { id, endpoint: old.endpoint };
  if (runs.length === 0) {
    const shown = maskVerdictsOf(await deps.masking.readMasks(), old.endpoint, decision);
    return { answer: { ...of, result: "held", runs: [], message: describeMiss(shown) }, request: null };
  }
  const started = runs.map((run) => ({
    runId: action === "preview" ? null : run.id,
    trigger: run.trigger ?? "",
    target: run.target,
  }));
  return {
    answer: { ...of, result: "released", runs: started, message: null },
    request: { id, verdicts, unlistedVerdicts, runs, at, delivered: deliveredEvents(decision) },
  };
}

/** Another call may have released it since it was read. */
async function write(deps: ReleaseDeps, { answer, request }: Evaluated): Promise<ReleasedDelivery> {
  if (!request) return answer;
  const result = await deps.store.releaseDelivery(request);
  if (result.kind === "full") throw queueFull(result.queue);
  return result.kind === "released" ? answer : releasedBefore(await getDelivery({ store: deps.originals }, answer.id));
}

function releasedBefore(delivery: Delivery): ReleasedDelivery {
  const { id, endpoint, outcome, verdicts } = delivery;
  if (!wasReleased(delivery))
    throw new AppError("not_replayable", `Delivery ${id} is not held: its outcome is "${outcome}".`);
  const runs = verdicts.flatMap(({ runId, trigger, target }) =>
    runId === null || target === null ? [] : [{ runId, trigger, target }],
  );
  return { id, endpoint, result: "already_released", runs, message: null };
}

function describeMiss(list: VerdictList): string {
  const waking = list.verdicts.find(({ outcome }) => outcome === "matched");
  if (waking) return `${waking.trigger} matches, but starts no run. No other trigger matches.`;
  const miss = nearestMiss(list);
  const [reason] = miss?.reasons ?? [];
  if (!miss || !reason) return "No trigger matches.";
  const where = reason.code === "disabled" ? "" : `${reason.pointer || "the body"}: `;
  return `No trigger matches. Nearest: ${miss.trigger}, ${where}${reason.message}`;
}

/** The expected failure of one delivery does not affect the others. */
async function orFailed<Result>(
  { id, endpoint }: Pick<ReleasedDelivery, "id" | "endpoint">,
  act: () => Promise<Result>,
): Promise<Result | ReleasedDelivery> {
  try {
    return await act();
  } catch (error) {
    if (!(error instanceof AppError) || error.code === "store_unavailable") throw error;
    return { id, endpoint, result: "failed", runs: [], message: error.message };
  }
}
