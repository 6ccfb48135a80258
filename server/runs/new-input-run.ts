import { AppError } from "../contract/app-error.ts";
import type { Json } from "../contract/json.ts";
import type { Manifest } from "../contract/project/manifest.ts";
import type { StartedBy } from "../contract/run.ts";
import type { Target } from "../contract/project/target.ts";
import { newId } from "../domain/ids.ts";
import type { NewRun } from "../ports/store/run-store.ts";
import { checkInput } from "./check-input.ts";
import { findTarget } from "./find-target.ts";

/** A run that starts with its input, without a transform. Throws AppError `not_found` or `invalid_input`. */
export function newInputRun(p: {
  manifest: Manifest;
  target: Target;
  input: Json;
  startedBy: StartedBy;
  now: number;
}): NewRun {
  const { kind, slug } = p.target;
  const { input, retries, maxQueued } = findTarget(p.manifest, p.target);
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
    createdAt: p.now,
    payload: null,
    input: p.input,
    keyId: null,
  };
}
