import { z } from "zod";
import { type Json, jsonSchema } from "../../contract/json.ts";
import type { RunStatus } from "../../contract/run.ts";
import { isObject } from "../../shared/schema/json-schema.ts";
import { hasFailed, isEnded } from "../../shared/runs/run-state.ts";
import type { Codes } from "../stored-codes.ts";

/**
 * Runs that other runs call or start. When one of them has ended, the other learns about it in a later transaction.
 * `settleAt` of a run says that this is due.
 */

/** How a run depends on its parent. */
export type ChildLink =
  /** `ctx.call`: its parent waits for it, and it is canceled with its parent. */
  | "call"
  /** The same, but it continues when its parent has ended. */
  | "kept_call"
  /** `ctx.start`: its parent does not wait for it. */
  | "start";

/** Their numbers in SQLite; see `Codes`. */
export const childLinkCodes = { call: 0, kept_call: 1, start: 2 } as const satisfies Codes<ChildLink>;

/** A run without a parent has depth 0. */
export const maxDepth = 20;

/** A new run's place in its family. */
export interface ChildPlace {
  /** Id of its parent. */
  of: string;
  /** The name of the parent's step, in the form in which it is stored. */
  step: string;
  link: ChildLink;
  depth: number;
}

const endedStatusSchema = z.enum(["completed", "failed", "canceled", "timed_out"]);

export type EndedStatus = z.infer<typeof endedStatusSchema>;

const childErrorSchema = z.object({ name: z.string(), message: z.string() });

/** How a child run has ended. */
interface ChildEnd {
  runId: string;
  status: EndedStatus;
  output: Json | null;
  error: z.infer<typeof childErrorSchema> | null;
}

const childResultSchema = z.object({
  runId: z.string(),
  /** Absent: the run has not ended. If its step is finished, the call has timed out. */
  status: endedStatusSchema.optional(),
  output: jsonSchema.nullable().optional(),
  error: childErrorSchema.nullable().optional(),
});

/** The stored result of the step of a child run. */
export function readChildResult(stored: Json | null): z.infer<typeof childResultSchema> {
  return childResultSchema.parse(stored);
}

/** What of the result of a step is shown: the child has its own page. */
export function describeChildResult(stored: Json | null): { runId: string; status: EndedStatus | null } {
  const { runId, status = null } = readChildResult(stored);
  return { runId, status };
}

/**
 * The result of the parent's step when its child has ended. `stored`: the result so far, with the time that the attempt
 * has used.
 */
export type ToChildResult = (stored: Json | null, end: ChildEnd, parentId: string) => Json;

export const toChildResult: ToChildResult = (stored, { runId, status, output, error }) => ({
  ...(isObject(stored) ? stored : {}),
  runId,
  status,
  output,
  error: error && { ...error },
});

/** A run, as the rules of families see it. */
interface Member {
  status: RunStatus;
  link: ChildLink | null;
  /** Whether it has called child runs. */
  isParent: boolean;
}

/** Whether others must learn that a run has this status. */
export function hasToSettle({ link, isParent, status }: Member): boolean {
  if (!isEnded(status)) return false;
  return link === "call" || link === "kept_call" || (isParent && status !== "completed");
}

/** `step`: of the parent. `null`: it is removed. */
export function planChild(p: {
  child: { status: RunStatus; link: ChildLink | null };
  parent: { status: RunStatus } | null;
  step: { finishedAt: number | null } | null;
}): "deliver" | "cancel" | "none" {
  const { child, parent, step } = p;
  if (parent === null || step === null || child.link === null || child.link === "start") return "none";
  const hasParentEnded = isEnded(parent.status);
  const isAwaited = !hasParentEnded && step.finishedAt === null;
  if (isEnded(child.status)) return isAwaited ? "deliver" : "none";
  if (isAwaited || child.link === "kept_call") return "none";
  // A finished step of an open child: its call has timed out.
  const isWanted = step.finishedAt === null && parent.status === "completed";
  return isWanted ? "none" : "cancel";
}

/** A step of a run that has failed. */
interface PastStep {
  startedAt: number;
  finishedAt: number | null;
  sequence: number | null;
}

/** A call of a run that has failed, with its child. */
interface PastCall extends PastStep {
  child: { id: string; status: RunStatus; finishedAt: number | null };
}

/**
 * The calls that a resume of the run waits for again: their children have failed, or were resumed since, and the code
 * has begun nothing after it received the failure. `fatalId`: the child whose failure ended the run, so the code has
 * handled no later one. A canceled child stays canceled, because a person has decided so.
 */
export function listCallsToReopen<Call extends PastCall>(
  calls: readonly Call[],
  { steps, fatalId }: { steps: readonly PastStep[]; fatalId: string | null },
): Call[] {
  const lastStart = Math.max(...steps.map(({ startedAt }) => startedAt));
  const fatal = calls.find(({ child }) => child.id === fatalId)?.sequence ?? Infinity;
  return calls.filter((call) => {
    const { finishedAt, sequence, child } = call;
    if (finishedAt === null || child.status === "canceled") return false;
    if (child.status === "completed" && child.finishedAt === finishedAt) return false;
    if (sequence === null || sequence >= fatal || lastStart <= finishedAt) return true;
    return !steps.some((step) => step.startedAt > finishedAt && (step.sequence ?? Infinity) > sequence);
  });
}

/** Whether a child is resumed with its parent: it has failed, or was canceled because its parent had ended. */
export function isResumedWith(
  parent: { finishedAt: number | null },
  child: { status: RunStatus; cancelRequestedAt: number | null },
): boolean {
  if (child.status !== "canceled") return hasFailed(child.status);
  return (child.cancelRequestedAt ?? 0) >= (parent.finishedAt ?? Infinity);
}

/** An open call of a run that is suspended. */
export interface OpenCallState {
  finishedAt: number | null;
  /** When the call times out; `null`: never. */
  until: number | null;
}

/** When a run with this call is due. `timed_out`: end the call without a result. */
export function planCall({ finishedAt, until }: OpenCallState, now: number): "ended" | "timed_out" | { dueAt: number } {
  if (finishedAt !== null) return "ended";
  if (until === null) return { dueAt: Infinity };
  return until <= now ? "timed_out" : { dueAt: until };
}
