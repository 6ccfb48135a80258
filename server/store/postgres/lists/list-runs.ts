import { desc, inArray, sql } from "drizzle-orm";
import type { Page, PageRequest } from "../../../contract/list.ts";
import type { RunStatus, RunSummary } from "../../../contract/run.ts";
import type { RunFilter, RunStore } from "../../../ports/store/run-store.ts";
import { type RunSummaryRow, toRunSummary } from "../../shared/run-shapes.ts";
import { countList } from "../../shared/lists/count-list.ts";
import { runTerms } from "../../shared/lists/run-terms.ts";
import { type Listing, readList } from "../../shared/lists/read-list.ts";
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
  id: run.id,
  status: run.status,
  trigger: run.trigger,
  attachmentId: run.attachmentId,
  targetKind: run.targetKind,
  targetSlug: run.targetSlug,
  deliveryId: run.deliveryId,
  startedBy: run.startedBy,
  replayOf: run.replayOf,
  failureOf: run.failureOf,
  replayedAs: sql<string | null>`(${sql.raw(replayOfSql)})`,
  version: run.version,
  attempt: run.attempt,
  maxAttempts: run.maxAttempts,
  tokens: run.tokens,
  costUsd: run.costUsd,
  createdAt: run.createdAt,
  resumedAt: run.resumedAt,
  startedAt: run.startedAt,
  finishedAt: run.finishedAt,
  errorName: run.errorName,
  errorMessage: run.errorMessage,
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
    terms: runTerms(run, filter, {
      hasText: (text) => jsonHasText([run.payload, run.input], text),
      // Without the subquery, Postgres could read all of a small index of open runs, and sort them. There can be a million.
      hasStatus: (status) => sql`${run.status} = (SELECT ${status}::text)`,
      hasOpenApproval: sql`EXISTS (SELECT 1 FROM signalbox.run_step WHERE run_step.run_id = ${run.id} AND run_step.kind = 'approval' AND run_step.finished_at IS NULL)`,
      hasFailed: sql.raw(`run.${hasFailedSql}`),
      hasReplay: sql.raw(`EXISTS (${replayOfSql})`),
    }),
    since: filter.since,
    until: filter.until,
    readRows: (ids) => readRunRows(session, ids),
    position: (row) => ({ at: row.createdAt, id: row.id }),
    shape: toRunSummary,
  };
}

/** The rows with these ids, newest first. */
export function readRunRows({ db }: Session, ids: string[]): Promise<RunSummaryRow[]> {
  return db.select(runSummaryColumns).from(run).where(inArray(run.id, ids)).orderBy(desc(run.createdAt), desc(run.id));
}
