import { AppError } from "../contract/app-error.ts";
import type { DisabledTriggers } from "../contract/disabled.ts";
import type { Json } from "../contract/json.ts";
import type { Manifest } from "../contract/project/manifest.ts";
import type { StartedBy } from "../contract/run.ts";
import type { Verdict } from "../contract/delivery.ts";
import { planRun } from "../domain/runs/new-run.ts";
import { redactVerdicts } from "../domain/deliveries/redaction.ts";
import { listVerdicts, mapOwnVerdicts, type Verdicts } from "../domain/deliveries/verdict-list.ts";
import type { TriggerIndex, TriggerSource } from "../ports/project.ts";
import type { NewRun } from "../ports/store/run-store.ts";
import { toProblemErrors } from "./explain.ts";
import { matchTriggers } from "./match-triggers.ts";
import { silenceDisabled } from "./silence-disabled.ts";

/** What becomes of a delivery, by what the triggers say of its body. */
export type Decision =
  | { outcome: "accepted"; responseStatus: 202; verdicts: Verdicts; runs: NewRun[] }
  | { outcome: "skipped"; responseStatus: 200; verdicts: Verdicts; runs: [] }
  | { outcome: "rejected"; responseStatus: 422; verdicts: Verdicts; runs: []; refusal: AppError };

/**
 * Every trigger that matches gets a run, in the order given. Where none does, a body that fails the `request` of the
 * only trigger is rejected; on a shared endpoint, when only a `filter` fails, or when it is switched off, it is
 * skipped.
 */
export function decideDelivery(p: {
  manifest: Pick<Manifest, "version" | "workflows" | "agents">;
  triggers: readonly TriggerSource[];
  /** Of exactly these triggers; `null` asks all of them. */
  index: TriggerIndex | null;
  /** Whether the endpoint has more than one trigger, be they asked here or not. */
  isShared: boolean;
  body: Json;
  deliveryId: string;
  now: number;
  startedBy: StartedBy;
  keyId: string | null;
  /** Disabled triggers start nothing. */
  disabled: DisabledTriggers;
}): Decision {
  const { matches, verdicts: explain } = matchTriggers(p);
  const runs = matches
    .filter(({ trigger }) => !p.disabled.has(trigger.slug))
    .map(({ trigger, payload }) => planRun({ ...p, trigger, payload, replayOf: null }));
  const runIds = new Map(runs.map(({ attachmentId, id }) => [attachmentId, id]));
  const verdicts = mapOwnVerdicts(silenceDisabled(redactVerdicts(explain()), p), (verdict) =>
    verdict.outcome === "matched" ? { ...verdict, runId: runIds.get(verdict.attachmentId) ?? null } : verdict,
  );
  if (runs.length > 0) return { outcome: "accepted", responseStatus: 202, verdicts, runs };
  const [only] = p.isShared ? [] : listVerdicts(verdicts);
  if (only?.outcome !== "request_mismatch") return { outcome: "skipped", responseStatus: 200, verdicts, runs: [] };
  return { outcome: "rejected", responseStatus: 422, verdicts, runs: [], refusal: requestMismatch(only) };
}

/** What the sender of a body gets that fails `request`, and the caller of the API who starts the trigger with it. */
export function requestMismatch({ trigger, reasons }: Verdict): AppError {
  return new AppError("request_mismatch", `The body does not match the request schema of trigger ${trigger}.`, {
    errors: toProblemErrors(reasons),
  });
}
