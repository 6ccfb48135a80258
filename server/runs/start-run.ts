import { AppError } from "../contract/app-error.ts";
import type { Json } from "../contract/json.ts";
import type { Manifest } from "../contract/project/manifest.ts";
import type { Target } from "../contract/project/target.ts";
import type { StartedBy } from "../contract/run.ts";
import { newId } from "../domain/ids.ts";
import { type StartedRun, startKeyOf, toStartedRun } from "../domain/runs/start-key.ts";
import type { Clock } from "../ports/clock.ts";
import type { ProjectReader } from "../ports/project.ts";
import type { Signals } from "../ports/signals.ts";
import type { NewRun, RunStore } from "../ports/store/run-store.ts";
import { checkInput } from "./check-input.ts";
import { findTarget } from "./get-target.ts";

/** A run that starts with its input, without a transform. Throws AppError `not_found` or `invalid_input`. */
export function newInputRun(p: {
  manifest: Manifest;
  target: Target;
  input: Json;
  startedBy: StartedBy;
  now: number;
}): NewRun {
  const { kind, slug } = p.target;
  const { input, retries, maxQueued, concurrency } = findTarget(p.manifest, p.target);
  const errors = checkInput(input, p.input);
  if (errors.length > 0)
    throw new AppError("invalid_input", `The input does not match the input schema of ${kind} ${slug}.`, { errors });
  return {
    id: newId("run", p.now),
    trigger: null,
    attachmentId: null,
    target: { kind, slug },
    deliveryId: null,
    startedBy: p.startedBy,
    replayOf: null,
    version: p.manifest.version,
    maxAttempts: retries.attempts,
    maxQueued,
    concurrency,
    createdAt: p.now,
    payload: null,
    input: p.input,
    keyId: null,
  };
}

/**
 * Starts a target with the caller's input. A request that repeats an idempotency key starts nothing, and gets the run
 * of the first one (`isRepeat`). Throws AppError `not_found`, `invalid_input`, `idempotency_conflict` or `queue_full`.
 */
export async function startTargetRun(
  deps: {
    store: Pick<RunStore, "createRuns" | "createRunsOnce">;
    project: ProjectReader;
    signals: Signals;
    clock: Clock;
  },
  request: { target: Target; input: Json; startedBy: StartedBy; idempotencyKey?: string | undefined },
): Promise<{ runs: StartedRun[]; isRepeat: boolean }> {
  const { target, input: body, idempotencyKey } = request;
  const now = deps.clock.now();
  const runs = [newInputRun({ ...request, manifest: deps.project.current().manifest, now })];
  const key = startKeyOf({ key: idempotencyKey, subject: `${target.kind} ${target.slug}`, body, now });
  const first = key && (await deps.store.createRunsOnce(runs, key));
  if (first) return { runs: first, isRepeat: true };
  if (!key) await deps.store.createRuns(runs);
  deps.signals.runsQueued();
  return { runs: runs.map(toStartedRun), isRepeat: false };
}
