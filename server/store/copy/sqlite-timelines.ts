import { createDecoder, runStatusCodes } from "../../domain/stored-codes.ts";
import type { RunEventRow } from "../shared/timeline-shapes.ts";
import type { Names } from "../sqlite/names.ts";
import type { Connection } from "../sqlite/file/open-connection.ts";
import { type Packed, packedId } from "../../domain/ids.ts";
import { implied, impliedEntries, type ImpliedFacts, lastImpliedStart } from "../sqlite/runs/timeline.ts";
import type { CopiedTable } from "./copy-plan.ts";
import type { Row, Value } from "./row.ts";
import { eventColumns } from "./sqlite-forms.ts";
import { type Cursor, type RowWithCursor, portionRows, type RawValue, type SqliteRows } from "./table-rows.ts";

const runId = packedId("run");
const statusOf = createDecoder(runStatusCodes);
const maxRuns = 500;

interface RunRow extends Omit<ImpliedFacts, "status"> {
  seq: number;
  id: Packed;
  status: number;
}

const factsSql = `
  SELECT seq, id, status, attempt, implied_entries AS impliedEntries, created_at AS createdAt, started_at AS startedAt,
    finished_at AS finishedAt, duration_ms AS durationMs, error_name AS errorName, error_message AS errorMessage,
    error_stack AS errorStack
  FROM run`;

/**
 * The timelines of all runs, with the entries that the runs imply. `ordinal` is the number of a copied entry in its
 * run.
 */
export function createTimelines(connection: Connection, names: Names, { columns }: CopiedTable): SqliteRows {
  const fields = Object.entries(eventColumns);
  const runsFrom = connection.prepare<unknown[], RunRow>(`${factsSql} WHERE seq >= ? ORDER BY seq LIMIT ${maxRuns}`);
  const runById = connection.prepare<unknown[], RunRow>(`${factsSql} WHERE id = ?`);
  const rowsOf = connection
    .prepare<unknown[], [position: number, ...RawValue[]]>(
      `SELECT position, ${fields.map(([, { sql }]) => sql).join(", ")} FROM run_event WHERE run = ? AND position > ? ORDER BY position LIMIT ${portionRows}`,
    )
    .raw();
  const lastOf = connection
    .prepare<unknown[], number | null>("SELECT max(position) FROM run_event WHERE run = ?")
    .pluck();
  const insert = connection.prepare(
    `INSERT INTO run_event (run, position, ${fields.map(([name]) => name).join(", ")})
     VALUES (?, (SELECT coalesce(max(position), ${lastImpliedStart}) + 1 FROM run_event WHERE run = ?), ${fields.map(() => "?").join(", ")})`,
  );
  const imply = connection.prepare(
    "UPDATE run SET implied_entries = implied_entries | @bit, duration_ms = coalesce(@durationMs, duration_ms) WHERE seq = @seq",
  );

  type Entry = Record<string, Value>;

  /** The entries of a run after a position. */
  function* entriesOf(run: RunRow, after: number): Generator<{ position: number; entry: Entry }> {
    const facts = { ...run, status: statusOf(run.status) };
    for (const one of impliedEntries(facts, null).start) if (one.id > after) yield toPositioned(one);
    for (let from = after; ;) {
      const rows = rowsOf.all(run.seq, from);
      for (const [position, ...values] of rows) {
        const entry = Object.fromEntries(
          fields.map(([name, { read }], at) => [name, read(values[at] ?? null, names)] as const),
        );
        yield { position, entry };
        from = position;
      }
      if (rows.length < portionRows) break;
    }
    for (const one of impliedEntries(facts, lastOf.get(run.seq) ?? null).end)
      if (one.id > after) yield toPositioned(one);
  }

  function* readAfter(after: Cursor | null): Generator<RowWithCursor> {
    const [first = 0, position = 0, counted = 0] = (after ?? []).map(Number);
    for (let from = first; ;) {
      const runs = runsFrom.all(from);
      for (const run of runs) {
        const isFirst = run.seq === first;
        let ordinal = isFirst ? counted : 0;
        for (const one of entriesOf(run, isFirst ? position : 0)) {
          ordinal += 1;
          const values: Entry = { ...one.entry, run_id: runId.unpack(run.id), ordinal };
          yield { cursor: [run.seq, one.position, ordinal], row: columns.map(({ name }) => values[name] ?? null) };
        }
        from = run.seq + 1;
      }
      if (runs.length < maxRuns) return;
    }
  }

  let known: { id: Value; run: RunRow } | null = null;

  function findRun(id: Value): RunRow {
    const run = known?.id === id ? known.run : runById.get(runId.pack(String(id)));
    if (!run) throw new Error(`The copy has no run ${String(id)} for an entry of its timeline.`);
    known = { id, run };
    return run;
  }

  return {
    count: () =>
      connection
        .prepare<[], number>(
          `SELECT (SELECT count(*) FROM run_event) + (SELECT coalesce(sum((implied_entries & 1) + ((implied_entries >> 1) & 1) + ((implied_entries >> 2) & 1)), 0) FROM run)`,
        )
        .pluck()
        .get() ?? 0,
    readAfter,
    insert(row: Row) {
      const entry: Entry = Object.fromEntries(columns.map(({ name }, at) => [name, row[at] ?? null]));
      const run = findRun(entry["run_id"] ?? null);
      const { seq } = run;
      const bit = impliedBit(entry, run);
      if (bit === null) {
        insert.run(
          seq,
          seq,
          fields.map(([name, { write }]) => write(entry[name] ?? null, names)),
        );
        return;
      }
      imply.run({ seq, bit, durationMs: bit === implied.ended ? (entry["duration_ms"] ?? null) : null });
      run.impliedEntries |= bit;
    },
  };
}

/** The bit of an entry that the columns of its run imply at this position; `null`: it needs a row. */
function impliedBit(entry: Record<string, Value>, run: RunRow): number | null {
  const isNext = (bit: number) =>
    bit === implied.ended || entry["ordinal"] === (run.impliedEntries & implied.queued ? 2 : 1);
  const found = [implied.queued, implied.started, implied.ended].find((bit) => {
    const facts = { ...run, status: statusOf(run.status), impliedEntries: bit };
    const { start, end } = impliedEntries({ ...facts, durationMs: toNumber(entry["duration_ms"]) }, null);
    return [...start, ...end].some((one) => isNext(bit) && isSame(toPositioned(one).entry, entry));
  });
  return found ?? null;
}

function isSame(one: Record<string, Value>, other: Record<string, Value>): boolean {
  return Object.entries(one).every(([name, value]) => (other[name] ?? null) === value);
}

function toNumber(value: Value | undefined): number | null {
  return typeof value === "number" ? value : null;
}

function toPositioned({ id, durationMs, error, data, ...entry }: RunEventRow) {
  return {
    position: id,
    entry: {
      ...entry,
      duration_ms: durationMs,
      error: error === null ? null : JSON.stringify(error),
      data: data === null ? null : JSON.stringify(data),
    } as Record<string, Value>,
  };
}
