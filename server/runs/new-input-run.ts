import { AppError } from "../contract/app-error.ts";
import type { Json } from "../contract/json.ts";
import type { Manifest } from "../contract/manifest.ts";
import type { StartedBy } from "../contract/run.ts";
import { newId } from "../domain/ids.ts";
import type { NewRun } from "../ports/store.ts";
import { checkInput } from "./check-input.ts";
import { findWorkflow } from "./find-workflow.ts";

/** A run of a workflow that starts with its input, no transform before it. Throws AppError `not_found` or `invalid_input`. */
export function newInputRun(p: { manifest: Manifest; slug: string; input: Json; startedBy: StartedBy; now: number }): NewRun {
  const workflow = findWorkflow(p.manifest, { kind: "workflow", slug: p.slug });
  const errors = checkInput(workflow.input, p.input);
  if (errors.length > 0) throw new AppError("invalid_input", `The input does not match the input schema of workflow ${p.slug}.`, { errors });
  return {
    id: newId("run", p.now),
    trigger: null,
    attachmentId: null,
    target: { kind: "workflow", slug: workflow.slug },
    deliveryId: null,
    startedBy: p.startedBy,
    replayOf: null,
    version: p.manifest.version,
    maxAttempts: workflow.retries.attempts,
    maxQueued: workflow.maxQueued,
    createdAt: p.now,
    payload: null,
    input: p.input,
    keyId: null,
  };
}
