import { AppError } from "../contract/app-error.ts";
import type { Json } from "../contract/json.ts";
import type { Manifest } from "../contract/manifest.ts";
import type { StartedBy } from "../contract/run.ts";
import { didYouMean } from "../domain/did-you-mean.ts";
import { newId } from "../domain/ids.ts";
import type { NewRun } from "../ports/store.ts";
import { checkInput } from "./check-input.ts";

/** A run of a workflow that starts with its input, no transform before it. Throws AppError `not_found` or `invalid_input`. */
export function newInputRun(p: { manifest: Manifest; slug: string; input: Json; startedBy: StartedBy; now: number }): NewRun {
  const workflow = p.manifest.workflows.find((other) => other.slug === p.slug);
  if (!workflow) {
    const hint = didYouMean(p.slug, p.manifest.workflows.map(({ slug }) => slug));
    throw new AppError("not_found", `There is no workflow ${JSON.stringify(p.slug)} in this project.${hint}`);
  }
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
    createdAt: p.now,
    payload: null,
    input: p.input,
    keyId: null,
  };
}
