import { and, asc, eq, gt, max } from "drizzle-orm";
import type { RunError, RunStatus } from "../../../contract/run.ts";
import type { TimelineEntry, TimelineKind } from "../../../contract/timeline.ts";
import { isEnded } from "../../../shared/runs/run-state.ts";
import { logLevelCodes, timelineKindCodes } from "../../../domain/stored-codes.ts";
import type { NewTimelineEntry, RunTransition } from "../../../ports/store/engine-store.ts";
import { type RunEventRow, toTimelineEntry } from "../../shared/timeline-shapes.ts";
import type { SqliteDatabase } from "../database.ts";
import { run, runEvent } from "../schema.ts";

/**
 * The entries that the columns of a run imply, as bits of `implied_entries`. A run that succeeds immediately has no
 * other entries, and no row in `run_event`. The id of an entry is its position in the run. `queued` is 1, and the first
 * `attempt_started` is 2. Rows start at 3, and the end of the run follows the last row.
 */
export const implied = { queued: 1, started: 2, ended: 4 } as const;

/** Rows have higher positions. */
export const lastImpliedStart = 2;

export type AddEntry = (runSeq: number, entry: NewTimelineEntry) => void;

const addSql = `
  INSERT INTO run_event (run, position, at, kind, attempt, name, level, message, duration_ms, until, error, data)
  VALUES (@run, (SELECT coalesce(max(position), ${lastImpliedStart}) + 1 FROM run_event WHERE run = @run),
    @at, @kind, @attempt, @name, @level, @message, @durationMs, @until, @error, @data)`;

export function prepareAddEntry({ connection, changed }: Pick<SqliteDatabase, "connection" | "changed">): AddEntry {
  const insert = connection.prepare(addSql);
  return (runSeq, entry) => {
    const { error = null, data = null, level } = entry;
    insert.run({
      run: runSeq,
      at: entry.at,
      kind: timelineKindCodes[entry.kind],
      attempt: entry.attempt,
      name: entry.name ?? null,
      level: level === undefined ? null : logLevelCodes[level],
      message: entry.message ?? null,
      durationMs: entry.durationMs ?? null,
      until: entry.until ?? null,
      error: error === null ? null : JSON.stringify(error),
      data: data === null ? null : JSON.stringify(data),
    });
    changed("runs");
  };
}

/**
 * Writes the end of a run that its columns imply as a row, so that entries can follow it. Returns what its columns
 * become.
 */
export function writeOutEnd(
  { db }: Pick<SqliteDatabase, "db">,
  { facts, addEntry }: { facts: ImpliedFacts & { seq: number }; addEntry: AddEntry },
): Pick<ImpliedFacts, "impliedEntries" | "durationMs"> {
  const { seq } = facts;
  for (const { at, kind, attempt, durationMs, error } of impliedEntries(facts, lastPosition({ db }, seq)).end)
    addEntry(seq, {
      at,
      kind,
      attempt,
      ...(durationMs === null ? {} : { durationMs }),
      ...(error === null ? {} : { error }),
    });
  return { impliedEntries: facts.impliedEntries & ~implied.ended, durationMs: null };
}

/** Adds an entry to a run that may have ended. */
export function addLaterEntry(
  { db }: Pick<SqliteDatabase, "db">,
  { seq, entry, addEntry }: { seq: number; entry: NewTimelineEntry; addEntry: AddEntry },
): void {
  const facts = db.select(impliedFacts).from(run).where(eq(run.seq, seq)).get();
  if (facts && facts.impliedEntries & implied.ended)
    db.update(run).set(writeOutEnd({ db }, { facts, addEntry })).where(eq(run.seq, seq)).run();
  addEntry(seq, entry);
}

export type Ending = Exclude<RunTransition, { to: "waiting" | "queued" }>;

/** True if an entry contains only facts that the columns of the ended run imply. */
export function isImpliedEnd(
  entry: NewTimelineEntry | undefined,
  { ending, attempt, now }: { ending: Ending; attempt: number; now: number },
): entry is NewTimelineEntry {
  if (entry === undefined || entry.kind !== ending.to || entry.at !== now || entry.attempt !== attempt) return false;
  const { name, level, message, until, data } = entry;
  return (
    [name, level, message, until, data ?? undefined].every((value) => value === undefined) &&
    isSameError(entry.error ?? null, ending.to === "completed" ? null : ending.error)
  );
}

function isSameError(one: RunError | null, other: RunError | null): boolean {
  return one?.name === other?.name && one?.message === other?.message && one?.stack === other?.stack;
}

export interface ImpliedFacts {
  status: RunStatus;
  attempt: number;
  impliedEntries: number;
  createdAt: number;
  startedAt: number | null;
  finishedAt: number | null;
  durationMs: number | null;
  errorName: string | null;
  errorMessage: string | null;
  errorStack: string | null;
}

const nothing = { name: null, level: null, message: null, durationMs: null, until: null, error: null, data: null };

/** The implied entries before and after the rows; `last` is the position of the last row. */
export function impliedEntries(facts: ImpliedFacts, last: number | null): { start: RunEventRow[]; end: RunEventRow[] } {
  const { impliedEntries: bits, status, startedAt, finishedAt, errorName } = facts;
  const start: RunEventRow[] = [];
  if (bits & implied.queued) start.push({ ...nothing, id: 1, at: facts.createdAt, kind: "queued", attempt: 0 });
  if (bits & implied.started && startedAt !== null)
    start.push({ ...nothing, id: 2, at: startedAt, kind: "attempt_started", attempt: 1 });
  if (!(bits & implied.ended) || finishedAt === null || !isEnded(status)) return { start, end: [] };
  const error =
    errorName === null ? null : { name: errorName, message: facts.errorMessage ?? "", stack: facts.errorStack };
  const { attempt, durationMs } = facts;
  const id = (last ?? lastImpliedStart) + 1;
  // The kind of the last entry is the final status.
  const kind = status as TimelineKind & RunStatus;
  return { start, end: [{ ...nothing, id, at: finishedAt, kind, attempt, durationMs, error }] };
}

export function listTimeline(
  { db }: Pick<SqliteDatabase, "db">,
  runId: string,
  { after, limit }: { after: number; limit: number },
): TimelineEntry[] {
  const facts = db.select(impliedFacts).from(run).where(eq(run.id, runId)).get();
  if (!facts) return [];
  const rows = db
    .select(eventColumns)
    .from(runEvent)
    .where(and(eq(runEvent.run, facts.seq), gt(runEvent.position, after)))
    .orderBy(asc(runEvent.position))
    .limit(limit)
    .all();
  const last = rows.length < limit ? lastPosition({ db }, facts.seq) : null;
  const { start, end } = impliedEntries(facts, last);
  return [...start, ...rows, ...(rows.length < limit ? end : [])]
    .filter(({ id }) => id > after)
    .slice(0, limit)
    .map(toTimelineEntry);
}

function lastPosition({ db }: Pick<SqliteDatabase, "db">, runSeq: number): number | null {
  return (
    db
      .select({ last: max(runEvent.position) })
      .from(runEvent)
      .where(eq(runEvent.run, runSeq))
      .get()?.last ?? null
  );
}

/** The columns of a run that its implied entries depend on. */
export const impliedFacts = {
  seq: run.seq,
  status: run.status,
  attempt: run.attempt,
  impliedEntries: run.impliedEntries,
  createdAt: run.createdAt,
  startedAt: run.startedAt,
  finishedAt: run.finishedAt,
  durationMs: run.durationMs,
  errorName: run.errorName,
  errorMessage: run.errorMessage,
  errorStack: run.errorStack,
};

const eventColumns = {
  id: runEvent.position,
  at: runEvent.at,
  kind: runEvent.kind,
  attempt: runEvent.attempt,
  name: runEvent.name,
  level: runEvent.level,
  message: runEvent.message,
  durationMs: runEvent.durationMs,
  until: runEvent.until,
  error: runEvent.error,
  data: runEvent.data,
};
