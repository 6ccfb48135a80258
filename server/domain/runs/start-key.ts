import { createHash } from "node:crypto";
import { AppError } from "../../contract/app-error.ts";
import type { Json } from "../../contract/json.ts";
import type { Target } from "../../contract/project/target.ts";

/** For this long after the first request with an idempotency key, further ones start nothing: a day. */
export const startKeyWindowMs = 24 * 60 * 60 * 1000;

/** The idempotency key of a request that starts runs. */
export interface StartKey {
  /** Hash of the key and of the subject that is started: a key applies to one workflow, agent or trigger. */
  id: string;
  /** Hash of the input or the payload. */
  bodySha256: string;
  now: number;
}

/** A run in the response to a request that starts runs. */
export interface StartedRun {
  runId: string;
  trigger: string | null;
  target: Target;
}

export function toStartedRun(run: { id: string; trigger: string | null; target: Target }): StartedRun {
  return { runId: run.id, trigger: run.trigger, target: run.target };
}

/** The first request with a key. */
export interface FirstStart {
  bodySha256: string;
  at: number;
  runs: StartedRun[];
}

/** `subject`: e.g. `workflow welcome-email`. A slug has no space. Returns `null` without a key. */
export function startKeyOf(p: { key: string | undefined; subject: string; body: Json; now: number }): StartKey | null {
  if (p.key === undefined) return null;
  return { id: sha256(`${p.subject} ${p.key}`), bodySha256: sha256(JSON.stringify(p.body)), now: p.now };
}

/** Decides whether a request repeats the first one with its key, or conflicts with it; `null`: it is the first one. */
export function checkStartKey(
  first: FirstStart | null,
  { bodySha256, now }: StartKey,
): { kind: "repeated" | "conflict"; runs: StartedRun[] } | null {
  if (!first || first.at <= now - startKeyWindowMs) return null;
  return { kind: first.bodySha256 === bodySha256 ? "repeated" : "conflict", runs: first.runs };
}

/** The same key came with another input: AppError `idempotency_conflict`. */
export function startConflict(runs: readonly StartedRun[]): AppError {
  return new AppError(
    "idempotency_conflict",
    `This idempotency key has started ${runs.map(({ runId }) => runId).join(", ")} with another input. Use a new key for a new run.`,
  );
}

function sha256(text: string): string {
  return createHash("sha256").update(text).digest("hex");
}
