import { AppError } from "../contract/app-error.ts";
import type { Verdict, VerdictList } from "../contract/delivery.ts";
import type { DisabledTriggers } from "../contract/disabled.ts";
import type { Json } from "../contract/json.ts";
import type { Manifest, ManifestWorkflow } from "../contract/project/manifest.ts";
import type { Target } from "../contract/project/target.ts";
import type { StartedBy } from "../contract/run.ts";
import { redactVerdicts } from "../domain/deliveries/redaction.ts";
import { newId } from "../domain/ids.ts";
import type { TriggerIndex, TriggerSource } from "../ports/project.ts";
import type { NewRun } from "../ports/store/run-store.ts";
import { toProblemErrors } from "./explain/explain.ts";
import { matchTriggers } from "./match-triggers.ts";

/** The outcome of a delivery, by the verdicts of the triggers on its body. */
export type Decision = VerdictList & {
  /** The same verdicts, with those of these attachments among the listed ones. */
  listWith(attachmentIds: ReadonlySet<string>): VerdictList;
} & (
    | { outcome: "accepted"; responseStatus: 202; runs: NewRun[] }
    | { outcome: "skipped"; responseStatus: 200; runs: [] }
    | { outcome: "rejected"; responseStatus: 422; runs: []; refusal: AppError }
  );

/**
 * Every trigger that matches gets a run, in the order given. Where none does, a body that fails the `request` of the
 * only trigger is rejected; on a shared endpoint, when only a `filter` fails, or when it is switched off, it is
 * skipped.
 */
export function decideDelivery(p: {
  manifest: Pick<Manifest, "version" | "workflows" | "agents">;
  triggers: readonly TriggerSource[];
  /** Of exactly these triggers; `null` evaluates all of them. */
  index: TriggerIndex | null;
  /** Whether the endpoint has more than one trigger, evaluated here or not. */
  isShared: boolean;
  body: Json;
  deliveryId: string;
  now: number;
  startedBy: StartedBy;
  keyId: string | null;
  /** Disabled triggers start nothing. */
  disabled: DisabledTriggers;
}): Decision {
  const { manifest, now, startedBy, deliveryId, keyId } = p;
  const { matches, list } = matchTriggers(p);
  const runs = matches.map(({ trigger, payload }) =>
    planRun({ manifest, trigger, payload, now, startedBy, deliveryId, replayOf: null, keyId }),
  );
  const runIds = new Map(runs.map(({ attachmentId, id }) => [attachmentId, id]));
  const listWith = (attachmentIds?: ReadonlySet<string>): VerdictList => {
    const { verdicts, unlistedVerdicts } = redactVerdicts(list(attachmentIds));
    return {
      verdicts: verdicts.map((one) => ({ ...one, runId: runIds.get(one.attachmentId) ?? null })),
      unlistedVerdicts,
    };
  };
  const { verdicts, unlistedVerdicts } = listWith();
  const listed = { verdicts, unlistedVerdicts, listWith };
  if (runs.length > 0) return { ...listed, outcome: "accepted", responseStatus: 202, runs };
  const [only] = p.isShared ? [] : verdicts;
  if (only?.outcome !== "request_mismatch") return { ...listed, outcome: "skipped", responseStatus: 200, runs: [] };
  return { ...listed, outcome: "rejected", responseStatus: 422, runs: [], refusal: requestMismatch(only) };
}

/** The error for a body that does not match `request`, for its sender or for the caller of the API. */
export function requestMismatch({ trigger, reasons }: Verdict): AppError {
  return new AppError("request_mismatch", `The body does not match the request schema of trigger ${trigger}.`, {
    errors: toProblemErrors(reasons),
  });
}

/** Creates a run of a trigger for the store: queued, with the payload that its transform will get. */
export function planRun(p: {
  manifest: Pick<Manifest, "version" | "workflows" | "agents">;
  trigger: { slug: string; attachmentId: string; target: Target };
  payload: Json | null;
  now: number;
  startedBy: StartedBy;
  deliveryId: string | null;
  replayOf: string | null;
  keyId: string | null;
}): NewRun {
  const { slug, attachmentId, target } = p.trigger;
  const { maxAttempts, maxQueued } = boundsOf(p.manifest, target);
  return {
    id: newId("run", p.now),
    trigger: slug,
    attachmentId,
    target,
    deliveryId: p.deliveryId,
    startedBy: p.startedBy,
    replayOf: p.replayOf,
    version: p.manifest.version,
    maxAttempts,
    maxQueued,
    createdAt: p.now,
    payload: p.payload,
    input: null,
    keyId: p.keyId,
  };
}

function boundsOf(
  manifest: Pick<Manifest, "workflows" | "agents">,
  { kind, slug }: Target,
): { maxAttempts: number; maxQueued: number | null } {
  const targets: readonly Pick<ManifestWorkflow, "slug" | "retries" | "maxQueued">[] =
    kind === "workflow" ? manifest.workflows : manifest.agents;
  const target = targets.find((other) => other.slug === slug);
  return { maxAttempts: target?.retries.attempts ?? 1, maxQueued: target?.maxQueued ?? null };
}
