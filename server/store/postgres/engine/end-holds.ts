import type { Json } from "../../../contract/json.ts";
import type { Target } from "../../../contract/project/target.ts";
import type { RunError } from "../../../contract/run.ts";
import { type KeySlot, slotAfter } from "../../../domain/runs/key-slots.ts";
import type { ConcurrencyLimits } from "../../../domain/runs/run-limits.ts";
import { toFailureRun } from "../../../domain/runs/failure-run.ts";
import { isEnded, resolveTransition } from "../../../shared/runs/run-state.ts";
import type { RunTransition } from "../../../ports/store/engine-store.ts";
import { type ElementType, toArrayParameter } from "../statements/array-parameters.ts";
import { insertParts } from "../statements/insert-rows.ts";
import { toInsertRuns } from "../runs/run-rows.ts";
import { changeSlots, type LeftSlot } from "../queue/key-slots.ts";
import { isStillRunning } from "./held-runs.ts";
import type { Session } from "../connection/session.ts";
import { addEntries, type EntryOfRun, toInsertEntries } from "../runs/timeline.ts";
import { looksUp } from "../statements/look-up.ts";

/** A running run whose row is locked. */
export interface Held {
  id: string;
  token: string;
  attempt: number;
  cancelRequestedAt: number | null;
  isLimited: boolean;
  target: string;
  key: string | null;
  keySlot: KeySlot | null;
  /** The number of the worker's write that ends its hold; absent: the run is taken from its worker. */
  seq?: number;
}

export interface Ending {
  held: Held;
  transition: RunTransition;
  now: number;
  /** The input that its code got, if this attempt has created it. */
  input?: Json;
}

/** The columns of `Held`. */
export const heldColumnsSql =
  'id, token, attempt, cancel_requested_at AS "cancelRequestedAt", is_limited AS "isLimited", target, run_key AS key, key_slot AS "keySlot"';

/** The resolved transition (see resolveTransition), with its timeline entry. */
export function decideEnding({ held, transition: asked, now, ...rest }: Ending): {
  ending: Ending;
  entries: EntryOfRun[];
} {
  const transition = resolveTransition(asked, { isCancelRequested: held.cancelRequestedAt !== null });
  const canceled = { runId: held.id, entry: { at: now, kind: "canceled" as const, attempt: held.attempt } };
  return { ending: { ...rest, held, transition, now }, entries: transition === asked ? [] : [canceled] };
}

/**
 * A worker whose acknowledgement was lost sends its last write again: the token and the number show that it was
 * written.
 */
const endHoldsSql = (first: number) => `
  UPDATE signalbox.run SET token = CASE WHEN e.seq IS NULL THEN NULL ELSE run.token END, progress_seq = coalesce(e.seq, 0), worker_id = NULL, lease_until = NULL, status = e.status,
    available_at = coalesce(e.available_at, run.available_at), is_resuming = coalesce(e.is_resuming, run.is_resuming), finished_at = e.finished_at,
    settle_at = CASE WHEN e.finished_at IS NOT NULL AND (child_link IN ('call', 'kept_call') OR (is_parent AND e.status <> 'completed')) THEN e.finished_at ELSE settle_at END,
    error_name = e.error_name, error_message = e.error_message, error_stack = e.error_stack, output = e.output, input = CASE WHEN e.has_input THEN e.input ELSE run.input END
  FROM unnest(${columns.map(({ type }, at) => `$${first + at}::${type}[]`).join(", ")}) AS e (${columns.map(({ name }) => name).join(", ")})
  WHERE ${looksUp("run.id", "e.id")} AND run.token = e.token AND ${isStillRunning}`;

type Value = string | number | boolean | null;

const columns: readonly { name: string; type: ElementType; valueOf: (ending: Ending) => Value }[] = [
  { name: "id", type: "text", valueOf: ({ held }) => held.id },
  { name: "token", type: "text", valueOf: ({ held }) => held.token },
  { name: "seq", type: "integer", valueOf: ({ held }) => held.seq ?? null },
  { name: "status", type: "text", valueOf: ({ transition }) => transition.to },
  { name: "available_at", type: "bigint", valueOf: availableAt },
  { name: "is_resuming", type: "boolean", valueOf: ({ transition }) => isResuming(transition) },
  { name: "finished_at", type: "bigint", valueOf: ({ transition, now }) => (isEnded(transition.to) ? now : null) },
  { name: "error_name", type: "text", valueOf: ({ transition }) => errorOf(transition)?.name ?? null },
  { name: "error_message", type: "text", valueOf: ({ transition }) => errorOf(transition)?.message ?? null },
  { name: "error_stack", type: "text", valueOf: ({ transition }) => errorOf(transition)?.stack ?? null },
  {
    name: "output",
    type: "text",
    valueOf: ({ transition }) => (transition.to === "completed" ? toJson(transition.output) : null),
  },
  { name: "has_input", type: "boolean", valueOf: ({ input }) => input !== undefined },
  { name: "input", type: "text", valueOf: ({ input }) => toJson(input ?? null) },
];

/** Takes runs out of `running`, each once. The same statement adds `entries` to their timelines. */
export async function endHolds(
  session: Session,
  {
    endings,
    entries,
    limits,
  }: { endings: readonly Ending[]; entries: readonly EntryOfRun[]; limits: ConcurrencyLimits },
): Promise<void> {
  if (endings.length === 0) return addEntries(session, entries);
  const values = columns.map(({ type, valueOf }) => toArrayParameter(type, endings.map(valueOf)));
  const changes = await insertParts(session, [toInsertEntries(entries), { text: endHoldsSql, values }]);
  // The rows are locked: any other number is a defect and rolls back.
  if (changes !== endings.length)
    throw new Error(
      `${changes} rows changed instead of ${endings.length}: ${endings.map(({ held }) => held.id).join(", ")} were to leave running`,
    );
  // The run is due at some time, or another run of its target may be.
  if (endings.some(({ held, transition }) => held.isLimited || !isEnded(transition.to))) session.concernsHosts = true;
  await changeSlots(
    session,
    endings.flatMap((ending) => leftSlotOf(ending, limits)),
  );
  await queueOnFailure(session, endings);
}

function leftSlotOf({ held, transition, now }: Ending, limits: ConcurrencyLimits): LeftSlot[] {
  const { id, target, key, keySlot: from } = held;
  const to = slotAfter(from, transition, limits.get(target));
  return from === null || key === null || to === from ? [] : [{ id, target, key, from, to, now }];
}

interface FailedRow {
  id: string;
  trigger: string | null;
  kind: Target["kind"];
  slug: string;
  key: string | null;
}

const failedSql =
  "SELECT id, trigger, target_kind AS kind, target_slug AS slug, run_key AS key FROM signalbox.run WHERE id = ANY($1::text[]) ORDER BY id";

/** Records the runs of `onFailure` for the runs that have failed permanently. */
async function queueOnFailure(session: Session, endings: readonly Ending[]): Promise<void> {
  const plans = new Map(
    endings.flatMap(({ held, transition, now }) =>
      "failureRun" in transition && transition.failureRun ? [[held.id, { plan: transition.failureRun, now }]] : [],
    ),
  );
  if (plans.size === 0) return;
  const failed = await session.rows<FailedRow>(failedSql, [[...plans.keys()]]);
  const runs = failed.flatMap(({ kind, slug, ...row }) => {
    const planned = plans.get(row.id);
    return planned ? [toFailureRun({ failed: { ...row, target: { kind, slug } }, ...planned })] : [];
  });
  await insertParts(session, toInsertRuns(session, runs));
}

/** When the run is due. A run that returns to the queue is due at once, before those that have not begun. */
function availableAt({ transition, now }: Ending): number | null {
  if (transition.to === "waiting") return Math.round(transition.availableAt);
  return transition.to === "queued" ? now : null;
}

/** `null`: as before. */
function isResuming(transition: RunTransition): boolean | null {
  if (transition.to === "waiting") return transition.reason === "sleep";
  return transition.to === "queued" ? true : null;
}

function errorOf(transition: RunTransition): RunError | null {
  return "error" in transition ? transition.error : null;
}

const toJson = (value: Json): string | null => (value === null ? null : JSON.stringify(value));
