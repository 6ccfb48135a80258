import { type Column, desc, inArray, sql } from "drizzle-orm";
import type { Page, PageRequest } from "../../../contract/list.ts";
import type { RunStatus, RunSummary } from "../../../contract/run.ts";
import type { RunFilter, RunStore } from "../../../ports/store/run-store.ts";
import { runSummaryNames, type RunSummaryRow, toRunSummary } from "../../shared/run-shapes.ts";
import { countList } from "../../shared/lists/count-list.ts";
import { runTerms } from "../../shared/lists/run-terms.ts";
import { type Listing, pickColumns, readList, type Term } from "../../shared/lists/read-list.ts";
import { runAsync } from "../../shared/operation.ts";
import { jsonHasText } from "./has-text.ts";
import { countQuery, createListReader } from "./list-reader.ts";
import { run } from "../schema.ts";
import { hasFailedSql } from "../schema/runs.ts";
import type { Session } from "../connection/session.ts";

/** The newest replay of a run. */
export const replayOfSql =
  "SELECT replay.id FROM signalbox.run AS replay WHERE replay.replay_of = run.id ORDER BY replay.created_at DESC, replay.id DESC LIMIT 1";

/** The columns that a list shows: none of the wide ones. */
export const runSummaryColumns = {
  ...pickColumns(run, ["deliveryId", ...runSummaryNames]),
  replayedAs: sql<string | null>`(${sql.raw(replayOfSql)})`,
};

export function listRuns(session: Session, filter: RunFilter, page: PageRequest): Promise<Page<RunSummary>> {
  return runAsync(readList(createListReader(session), runListing(session, filter), page));
}

/** Runs by bucket and status. */
export function countRuns(session: Session, filter: RunFilter, bucketMs: number): ReturnType<RunStore["countRuns"]> {
  const listing = runListing(session, filter);
  return runAsync(
    countList(createListReader(session), listing, async (stretch) =>
      (
        await session.db.execute<{ at: number; status: RunStatus; count: number }>(
          countQuery(listing, stretch, { status: run.status, bucketMs }),
        )
      ).map(({ at, status, count }) => ({ at: Number(at), status, count: Number(count) })),
    ),
  );
}

function runListing(session: Session, filter: RunFilter): Listing<RunSummaryRow, RunSummary> {
  return {
    table: "run",
    at: run.createdAt,
    id: run.id,
    terms: rowTerms(run, filter),
    since: filter.since,
    until: filter.until,
    readRows: (ids) => readRunRows(session, ids),
    position: (row) => ({ at: row.createdAt, id: row.id }),
    shape: toRunSummary,
  };
}

/** The terms on the table, or on a subquery with its name. */
export function rowTerms(of: Record<keyof typeof run.$inferSelect, Column>, filter: RunFilter): Term[] {
  return runTerms(filter, {
    run: of,
    hasText: (text) => jsonHasText([of.payload, of.input], text),
    // Without the subquery, Postgres could read all of a small index of open runs, and sort them. There can be a million.
    hasStatus: (status) => sql`${of.status} = (SELECT ${status}::text)`,
    hasOpenApproval: sql`EXISTS (
      SELECT 1 FROM signalbox.run_step
      WHERE run_step.run_id = ${of.id} AND run_step.kind = 'approval' AND run_step.finished_at IS NULL)`,
    hasFailed: sql.raw(`run.${hasFailedSql}`),
    hasReplay: sql.raw(`EXISTS (${replayOfSql})`),
    waitsForKey: sql.raw("run.key_slot = 'waiting'"),
    hasOpenWait: (source) => sql`EXISTS (
      SELECT 1 FROM signalbox.run_wait
      WHERE run_wait.source = ${source} AND run_wait.run_id = ${of.id} AND run_wait.delivery IS NULL)`,
  });
}

/** The rows with these ids, newest first. */
export function readRunRows({ db }: Session, ids: string[]): Promise<RunSummaryRow[]> {
  return db.select(runSummaryColumns).from(run).where(inArray(run.id, ids)).orderBy(desc(run.createdAt), desc(run.id));
}
