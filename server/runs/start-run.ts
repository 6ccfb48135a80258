import { AppError } from "../contract/app-error.ts";
import type { Json } from "../contract/json.ts";
import type { Manifest } from "../contract/project/manifest.ts";
import type { Target } from "../contract/project/target.ts";
import type { StartedBy } from "../contract/run.ts";
import { newId } from "../domain/ids.ts";
import { runLimitsOf } from "../domain/runs/run-limits.ts";
import { type StartedRun, startKeyOf, toStartedRun } from "../domain/runs/start-key.ts";
import type { Clock } from "../ports/clock.ts";
import type { InputChecks } from "../ports/input-checks.ts";
import type { ProjectReader } from "../ports/project.ts";
import type { Signals } from "../ports/signals.ts";
import type { NewRun } from "../ports/store/new-run.ts";
import type { RunStore } from "../ports/store/run-store.ts";
import { findTarget } from "./get-target.ts";

/**
 * A run that starts with its input, without a transform. The Zod schema of the target decides whether the input is
 * valid; if it cannot be evaluated now, the worker decides. Throws AppError `not_found` or `invalid_input`.
 */
export async function newInputRun(
  { inputs }: { inputs: InputChecks },
  p: {
    manifest: Manifest;
    target: Target;
    input: Json;
    startedBy: StartedBy;
    key?: string | null | undefined;
    now: number;
  },
): Promise<NewRun> {
  const { kind, slug } = p.target;
  const built = findTarget(p.manifest, p.target);
  const { version } = p.manifest;
  const errors = (await inputs.check({ version, target: { kind, slug }, input: p.input })) ?? [];
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
    version,
    maxAttempts: built.retries.attempts,
    ...runLimitsOf(built),
    createdAt: p.now,
    payload: null,
    input: p.input,
    keyId: null,
    key: p.key ?? null,
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
    inputs: InputChecks;
    signals: Signals;
    clock: Clock;
  },
  request: {
    target: Target;
    input: Json;
    startedBy: StartedBy;
    key?: string | undefined;
    idempotencyKey?: string | undefined;
  },
): Promise<{ runs: StartedRun[]; isRepeat: boolean }> {
  const { target, input: body, idempotencyKey } = request;
  const now = deps.clock.now();
  const runs = [await newInputRun(deps, { ...request, manifest: deps.project.current().manifest, now })];
  const startKey = startKeyOf({ key: idempotencyKey, subject: `${target.kind} ${target.slug}`, body, now });
  const first = startKey && (await deps.store.createRunsOnce(runs, startKey));
  if (first) return { runs: first, isRepeat: true };
  if (!startKey) await deps.store.createRuns(runs);
  deps.signals.runsQueued();
  return { runs: runs.map(toStartedRun), isRepeat: false };
}
