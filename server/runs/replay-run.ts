import { AppError } from "../contract/app-error.ts";
import type { Json } from "../contract/json.ts";
import type { ManifestWorkflow } from "../contract/project/manifest.ts";
import { findBuilt, hasTarget, type Target } from "../contract/project/target.ts";
import type { Run } from "../contract/run.ts";
import { keyOfRun } from "../domain/runs/run-key.ts";
import { failureRunOf, toFailureRun } from "../domain/runs/failure-run.ts";
import { planRun, evaluateTriggers } from "../matching/match-triggers.ts";
import type { Clock } from "../ports/clock.ts";
import type { InputChecks } from "../ports/input-checks.ts";
import type { Masking } from "../ports/masking.ts";
import type { ProjectReader, ProjectSources, TriggerSource } from "../ports/project.ts";
import type { Signals } from "../ports/signals.ts";
import type { NewRun } from "../ports/store/new-run.ts";
import type { RunStore } from "../ports/store/run-store.ts";
import { findTarget } from "./get-target.ts";
import { findRun } from "./read-runs.ts";
import { newInputRun } from "./start-run.ts";

/** Replaces the payload (for the trigger) or the input (for the target) of the old run. */
export type ReplayChange = { payload: Json } | { input: Json } | null;

/**
 * Replays a run as a new run that refers to the old one: with its payload and the current transform, or with its input
 * if it had no payload. Throws AppError `not_found`, `not_replayable`, `request_mismatch`, `invalid_input` or
 * `queue_full`.
 */
export async function replayRun(
  deps: {
    store: Pick<RunStore, "createRuns">;
    originals: Pick<RunStore, "getRun">;
    masking: Pick<Masking, "restore">;
    project: ProjectReader;
    inputs: InputChecks;
    signals: Signals;
    clock: Clock;
  },
  request: { id: string; change: ReplayChange },
): Promise<NewRun> {
  const old = await findRun({ store: deps.originals }, { id: request.id });
  const change = request.change && (await restoreChange(deps.masking, old, request.change));
  const run = await planReplay(deps, { old, change, sources: deps.project.current(), now: deps.clock.now() });
  await deps.store.createRuns([run]);
  deps.signals.runsQueued();
  return run;
}

/** The caller has edited the payload or the input as it is shown: unchanged fakes mean the recorded values. */
async function restoreChange(
  masking: Pick<Masking, "restore">,
  old: Run,
  change: NonNullable<ReplayChange>,
): Promise<NonNullable<ReplayChange>> {
  return "payload" in change
    ? { payload: await masking.restore(old, change.payload) }
    : { input: await masking.restore(old, change.input) };
}

/** The new run that replays an old one. Throws AppError `not_replayable`, `request_mismatch` or `invalid_input`. */
export async function planReplay(
  deps: { inputs: InputChecks },
  p: { old: Run; change: ReplayChange; sources: ProjectSources; now: number },
): Promise<NewRun> {
  const { old, change, sources, now } = p;
  if (old.failureOf !== null) return replayOnFailure({ ...p, failureOf: old.failureOf });
  if (change && "payload" in change) {
    const trigger = triggerOf(old, sources);
    return replayPayload({ ...p, trigger, payload: parsePayload(trigger, change.payload) });
  }
  if (change) return replayInput(deps, { ...p, input: change.input });
  // A JSON `null` can be a payload: a run of a trigger without a known input has exactly that.
  const hasPayload = old.payload !== null || (old.attachmentId !== null && old.input === null);
  return hasPayload
    ? replayPayload({ old, sources, now, trigger: triggerOf(old, sources), payload: old.payload })
    : replayInput(deps, { ...p, input: old.input });
}

function replayPayload(p: {
  old: Run;
  sources: ProjectSources;
  trigger: ReturnType<typeof triggerOf>;
  payload: Json;
  now: number;
}): NewRun {
  const { old, trigger, payload, now } = p;
  return planRun({
    manifest: p.sources.manifest,
    trigger,
    payload,
    now,
    startedBy: "replay",
    deliveryId: null,
    replayOf: old.id,
    keyId: null,
    key: keyOfRun(trigger.key, { payload, headers: null, otherwise: old.key }),
  });
}

async function replayInput(
  deps: { inputs: InputChecks },
  p: { old: Run; sources: ProjectSources; input: Json; now: number },
): Promise<NewRun> {
  const { old, sources, input, now } = p;
  const { manifest } = sources;
  if (!findBuilt<ManifestWorkflow>(manifest, old.target)) {
    throw new AppError(
      "not_replayable",
      `${old.target.kind} ${old.target.slug} is not in the deployed project. Deploy a project that has it.`,
    );
  }
  const run = await newInputRun(deps, { manifest, target: old.target, input, startedBy: "replay", key: old.key, now });
  return { ...run, trigger: old.trigger, attachmentId: old.attachmentId, replayOf: old.id };
}

/** The failed run stays as it was recorded. */
function replayOnFailure(p: Parameters<typeof planReplay>[1] & { failureOf: string }): NewRun {
  const { old, change, sources, failureOf, now } = p;
  if (change)
    throw new AppError(
      "not_replayable",
      `Run ${old.id} executes onFailure of run ${failureOf}, which cannot be edited. Replay it without changes.`,
    );
  return {
    ...toFailureRun({
      failed: { id: failureOf, trigger: old.trigger, target: old.target, key: old.key },
      plan: failureRunOf({ target: findTarget(sources.manifest, old.target), version: sources.manifest.version, now }),
      now,
    }),
    input: old.input,
    startedBy: "replay",
    replayOf: old.id,
  };
}

function triggerOf(old: Run, sources: ProjectSources): TriggerSource & { target: Target } {
  if (old.attachmentId === null)
    throw new AppError("not_replayable", `Run ${old.id} was not started by a trigger: replay it with { "input": … }.`);
  const trigger = sources.triggers.find(({ attachmentId }) => attachmentId === old.attachmentId);
  if (trigger && hasTarget(trigger)) return trigger;
  throw new AppError(
    "not_replayable",
    `${old.attachmentId} is not in the deployed project. Deploy a project that has it, or start the target with your own input.`,
  );
}

/**
 * An edited payload is parsed like a body. `headers` and `filter` are not applied, because the person has decided to
 * run it.
 */
function parsePayload(trigger: TriggerSource, body: Json): Json {
  const [evaluation] = evaluateTriggers([{ ...trigger, filter: null, headers: null, query: null }], body);
  if (evaluation?.verdict.outcome === "matched") return evaluation.payload;
  const errors = evaluation?.verdict.reasons.map(({ pointer, code, message }) => ({ pointer, code, message })) ?? [];
  throw new AppError("request_mismatch", `The payload does not match the request schema of trigger ${trigger.slug}.`, {
    errors,
  });
}
