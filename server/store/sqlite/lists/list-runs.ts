import { type Column, desc, inArray, type SQL, sql } from "drizzle-orm";
import type { Page, PageRequest } from "../../../contract/list.ts";
import type { RunSummary } from "../../../contract/run.ts";
import { keySlotCodes } from "../../../domain/runs/key-slots.ts";
import { createDecoder, runStatusCodes, stepKindCodes } from "../../../domain/stored-codes.ts";
import type { RunFilter, RunStore } from "../../../ports/store/run-store.ts";
import { type CountedStretch, countList } from "../../shared/lists/count-list.ts";
import { type Listing, pickColumns, readList, type Term } from "../../shared/lists/read-list.ts";
import { runSummaryNames, type RunSummaryRow, toRunSummary } from "../../shared/run-shapes.ts";
import { type NumberedFilter, runTerms } from "../../shared/lists/run-terms.ts";
import type { SqliteDatabase } from "../database.ts";
import { hasText as bytesHaveText } from "./has-text.ts";
import { countQuery, createListReader, readSeq, toPositionId, withOwnIndex } from "./list-reader.ts";
import { noName, type Names } from "../names.ts";
import { delivery, run, runList } from "../schema.ts";
import { bodyBytesSql, hasFailedSql, payloadSql, sameAsPayload } from "../stored-forms.ts";

/** The newest replay of a run. */
export const replayOfSql = (id: string) =>
  `SELECT replay.id FROM run AS replay INDEXED BY run_by_replay WHERE replay.replay_of = ${id} ORDER BY replay.created_at DESC, replay.seq DESC LIMIT 1`;

/** The columns of a list, without wide ones. */
export const runSummaryColumns = {
  ...pickColumns(run, ["seq", ...runSummaryNames]),
  deliveryId: sql<string | null>`(SELECT id FROM delivery WHERE delivery.seq = run.delivery)`.mapWith(delivery.id),
  replayedAs: sql<string | null>`(${sql.raw(replayOfSql("run.id"))})`.mapWith(run.id),
};

interface ListedRun extends RunSummaryRow {
  seq: number;
}

export function listRuns(database: SqliteDatabase, filter: RunFilter, page: PageRequest): Promise<Page<RunSummary>> {
  return database.readSlices(() => readList(createListReader(database), runListing(database, filter), page));
}

/** Runs by bucket and status. */
export function countRuns(
  database: SqliteDatabase,
  filter: RunFilter,
  bucketMs: number,
): ReturnType<RunStore["countRuns"]> {
  return database.readSlices(() => {
    const listing = runListing(database, filter);
    return countList(createListReader(database), listing, (stretch) =>
      database.db
        .all<{ bucket: number; status: number; count: number }>(runCountQuery(listing, stretch, bucketMs))
        .map(({ bucket, status, count }) => ({ at: bucket, status: statusOf(status), count })),
    );
  });
}

const statusOf = createDecoder(runStatusCodes);

/** Exported for the test of its query plan. */
export function runCountQuery(listing: Listing<ListedRun, RunSummary>, stretch: CountedStretch, bucketMs: number): SQL {
  return countQuery(listing, stretch, { status: run.status, listedStatus: runList.status, bucketMs });
}

/** Exported for the test of its query plans. */
export function runListing(database: SqliteDatabase, filter: RunFilter): Listing<ListedRun, RunSummary> {
  const numbered = numberNames(database, filter);
  const terms = rowTerms(numbered);
  const own = withOwnIndex(terms, [
    "run_by_delivery",
    "run_by_run_key",
    "run_by_replay",
    "run_by_failure",
    "run_by_parent",
    "run_waiting_for_slot",
  ]);
  return {
    table: "run",
    at: run.createdAt,
    id: run.seq,
    ...(own
      ? { terms: own }
      : {
          terms,
          listed: {
            at: runList.createdAt,
            id: runList.seq,
            terms: runTerms(numbered, {
              run: { ...rowColumns, ...runList, keyId: runList.key },
              hasText,
              hasOpenApproval: hasOpenApproval(runList.seq),
              hasFailed: sql.raw(`run_list.${hasFailedSql}`),
              hasReplay: sql.raw(`EXISTS (${replayOfSql("(SELECT id FROM run WHERE run.seq = run_list.seq)")})`),
              // It has its own index, so it is never read from the list.
              waitsForKey,
              hasOpenWait: hasOpenWait(runList.seq),
            }),
          },
        }),
    payloadBytes:
      filter.text === undefined
        ? []
        : [sql`octet_length(${run.payload})`, sql`octet_length(${run.input})`, sql.raw(bodyBytesSql)],
    since: filter.since,
    until: filter.until,
    readRows: (ids) => readRunRows(database, ids.map(readSeq)),
    position: (row) => ({ at: row.createdAt, id: toPositionId(row.seq) }),
    shape: toRunSummary,
  };
}

const rowColumns = { ...run, deliveryId: run.delivery };

/** The terms on the table itself. */
export function rowTerms(filter: NumberedFilter<RunFilter>): Term[] {
  return runTerms(filter, {
    run: rowColumns,
    hasText,
    hasOpenApproval: hasOpenApproval(run.seq),
    hasFailed: sql.raw(`run.${hasFailedSql}`),
    hasReplay: sql.raw(`EXISTS (${replayOfSql("run.id")})`),
    waitsForKey,
    hasOpenWait: hasOpenWait(run.seq),
  });
}

const waitsForKey = sql.raw(`run.key_slot = ${keySlotCodes.waiting}`);

/** True if the payload or the input contains the text. */
function hasText(text: string): SQL {
  return bytesHaveText([sql.raw(payloadSql), sql`nullif(${run.input}, ${sameAsPayload})`], text);
}

function hasOpenApproval(seq: Column): SQL {
  return sql`EXISTS (SELECT 1 FROM run_step WHERE run_step.run = ${seq} AND run_step.kind = ${stepKindCodes.approval} AND run_step.finished_at IS NULL)`;
}

const hasOpenWait = (seq: Column) => (source: string) =>
  sql`EXISTS (SELECT 1 FROM run_wait INDEXED BY run_wait_by_source WHERE run_wait.source = ${source} AND run_wait.run = ${seq} AND run_wait.delivery IS NULL)`;

/** The filter with numbers instead of names and delivery ids, as rows store them. */
export function numberNames<Filter extends RunFilter>({ connection, names }: SqliteDatabase, filter: Filter) {
  const numberOf = (name: string | undefined) => (name === undefined ? undefined : (names.find(name) ?? noName));
  const seqOf = connection.prepare<unknown[], number>("SELECT seq FROM delivery WHERE id = ?").pluck();
  return {
    ...filter,
    trigger: numberOf(filter.trigger),
    target: numberOf(filter.target),
    keyId: numberOf(filter.keyId),
    version: numberOf(filter.version),
    delivery:
      filter.delivery === undefined ? undefined : (seqOf.get(delivery.id.mapToDriverValue(filter.delivery)) ?? noName),
  };
}

/** The rows with these numbers, newest first. */
export function readRunRows(database: SqliteDatabase, seqs: number[]): ListedRun[] {
  return runRowsQuery(database, seqs)
    .all()
    .map((row) => nameRun(row, database.names));
}

/** Exported for the test of its query plan. */
export function runRowsQuery({ db }: Pick<SqliteDatabase, "db">, seqs: number[]) {
  return db
    .select(runSummaryColumns)
    .from(run)
    .where(inArray(run.seq, seqs))
    .orderBy(desc(run.createdAt), desc(run.seq));
}

/** The row with names instead of their numbers. */
export function nameRun<
  Row extends { trigger: number | null; attachmentId: number | null; targetSlug: number; version: number },
>(row: Row, names: Names) {
  return {
    ...row,
    trigger: row.trigger === null ? null : names.textOf(row.trigger),
    attachmentId: row.attachmentId === null ? null : names.textOf(row.attachmentId),
    targetSlug: names.textOf(row.targetSlug),
    version: names.textOf(row.version),
  };
}
