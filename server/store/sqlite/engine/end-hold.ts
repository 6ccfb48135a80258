import type { Json } from "../../../contract/json.ts";
import { resolveTransition } from "../../../shared/runs/run-state.ts";
import { childLinkCodes } from "../../../domain/runs/child-runs.ts";
import { keySlotCodes, slotAfter } from "../../../domain/runs/key-slots.ts";
import { createDecoder, runStatusCodes } from "../../../domain/stored-codes.ts";
import type { NewTimelineEntry, RunTransition } from "../../../ports/store/engine-store.ts";
import { type FailureRun, toFailureRun } from "../../../domain/runs/failure-run.ts";
import type { Packed } from "../../../domain/ids.ts";
import type { CurrentLimits } from "../../../domain/runs/run-limits.ts";
import type { SqliteDatabase } from "../database.ts";
import type { InsertRun } from "../runs/insert-run.ts";
import type { KeySlots } from "../runs/key-slots.ts";
import { payloadSql, readTarget, runId, sameAsPayload } from "../stored-forms.ts";
import { type AddEntry, type Ending, implied, isImpliedEnd } from "../runs/timeline.ts";

/** A running run, as read in the write transaction. */
export interface Held {
  seq: number;
  attempt: number;
  cancelRequestedAt: number | null;
  target: number;
  /** The number of its slot in `keySlotCodes`. */
  keySlot: number | null;
  /** The number of the worker's write that ends its claim. Absent if the run is taken from its worker. */
  progressSeq?: number;
}

/** Ends the claim and writes the entries of the transition. The end of the run can imply the last entry. */
export type EndHold = (
  held: Held,
  p: { transition: RunTransition; now: number; entries?: readonly NewTimelineEntry[]; input?: Json | undefined },
) => void;

/**
 * A worker that received no acknowledgement sends its last write again. The token and the number show that it was
 * written.
 */
const released = `token = iif(@progressSeq IS NULL, NULL, token), progress_seq = coalesce(@progressSeq, 0), worker_id = NULL, lease_until = NULL`;
const { running } = runStatusCodes;

/** A run that returns to the queue keeps its position. */
const releaseSql = `
  UPDATE run SET status = @status, available_at = coalesce(@availableAt, available_at), is_resuming = @isResuming, ${released}
  WHERE seq = @seq AND status = ${running}`;

/** An input that equals the payload is stored once. The parameter occurs twice. */
export const setInputSql = (parameter: string) =>
  `input = CASE WHEN ${parameter} = (${payloadSql}) THEN '${sameAsPayload}' ELSE ${parameter} END`;

/** See `hasToSettle`. */
export const settleSql = ({ now, status }: { now: string; status: string }) => `
  settle_at = iif(child_link IN (${childLinkCodes.call}, ${childLinkCodes.kept_call}) OR (is_parent AND ${status} <> ${runStatusCodes.completed}), ${now}, settle_at)`;

const finishSql = (more: string) => `
  UPDATE run SET ${more} ${settleSql({ now: "@now", status: "@status" })}, status = @status, finished_at = @now, implied_entries = implied_entries | @implied, duration_ms = @durationMs,
    error_name = @errorName, error_message = @errorMessage, error_stack = @errorStack, output = @output, ${released}
  WHERE seq = @seq AND status = ${running}`;

export interface EndHoldParts {
  addEntry: AddEntry;
  insertRun: InsertRun;
  keySlots: KeySlots;
  limits: CurrentLimits;
}

/** Takes a run out of `running`; see resolveTransition. */
export function prepareEndHold(
  { connection, names, changed }: SqliteDatabase,
  { addEntry, insertRun, keySlots, limits }: EndHoldParts,
): EndHold {
  const findFailed = connection.prepare<
    [number],
    { id: Packed; trigger: number | null; target: number; key: string | null }
  >("SELECT id, trigger, target, run_key AS key FROM run WHERE seq = ?");
  const release = connection.prepare(releaseSql);
  const finish = connection.prepare(finishSql(""));
  const finishWithInput = connection.prepare(finishSql(`${setInputSql("@input")},`));

  function addAll(seq: number, entries: readonly NewTimelineEntry[]): void {
    for (const entry of entries) addEntry(seq, entry);
  }

  function end(
    { seq, attempt, progressSeq }: Held,
    ending: Ending,
    p: { now: number; entries: readonly NewTimelineEntry[]; input?: Json | undefined },
  ): void {
    const last = p.entries.at(-1);
    const isImplied = isImpliedEnd(last, { ending, attempt, now: p.now });
    addAll(seq, isImplied ? p.entries.slice(0, -1) : p.entries);
    const output = ending.to === "completed" ? ending.output : null;
    const error = ending.to === "completed" ? null : ending.error;
    const values = {
      seq,
      progressSeq: progressSeq ?? null,
      now: p.now,
      status: runStatusCodes[ending.to],
      implied: isImplied ? implied.ended : 0,
      durationMs: isImplied ? (last.durationMs ?? null) : null,
      errorName: error?.name ?? null,
      errorMessage: error?.message ?? null,
      errorStack: error?.stack ?? null,
      output: output === null ? null : JSON.stringify(output),
    };
    const { changes } =
      p.input === undefined
        ? finish.run(values)
        : finishWithInput.run({ ...values, input: p.input === null ? null : JSON.stringify(p.input) });
    assertOne(changes, seq);
  }

  function queueOnFailure(seq: number, plan: FailureRun, now: number): void {
    const row = findFailed.get(seq);
    if (!row) return;
    const trigger = row.trigger === null ? null : names.textOf(row.trigger);
    const failed = { id: runId.unpack(row.id), trigger, target: readTarget(names.textOf(row.target)), key: row.key };
    insertRun(toFailureRun({ failed, plan, now }));
  }

  function leaveKey({ seq, target, keySlot }: Held, transition: RunTransition, now: number): void {
    if (keySlot === null) return;
    const slot = readSlot(keySlot);
    const after = slotAfter(slot, transition, limits.current.get(names.textOf(target)));
    if (after !== slot) keySlots.change(seq, after, now);
  }

  return (held, { transition: requested, now, entries = [], input }) => {
    const { seq, attempt, cancelRequestedAt, progressSeq } = held;
    const transition = resolveTransition(requested, { isCancelRequested: cancelRequestedAt !== null });
    changed("runs");
    leaveKey(held, transition, now);
    if (transition.to !== "waiting" && transition.to !== "queued") {
      const all: readonly NewTimelineEntry[] =
        transition === requested ? entries : [...entries, { at: now, kind: "canceled", attempt }];
      end(held, transition, { now, entries: all, input });
      if ("failureRun" in transition && transition.failureRun) queueOnFailure(seq, transition.failureRun, now);
      return;
    }
    addAll(seq, entries);
    const isWaiting = transition.to === "waiting";
    const { changes } = release.run({
      seq,
      progressSeq: progressSeq ?? null,
      status: runStatusCodes[transition.to],
      availableAt: isWaiting ? transition.availableAt : null,
      isResuming: isWaiting && transition.reason === "retry" ? 0 : 1,
    });
    assertOne(changes, seq);
  };
}

const readSlot = createDecoder(keySlotCodes);

/** The caller has read the row in the same transaction, so any other number is a defect and rolls back. */
function assertOne(changes: number, seq: number): void {
  if (changes !== 1)
    throw new Error(`${changes} rows changed instead of one: run ${seq} did not leave the status running`);
}
