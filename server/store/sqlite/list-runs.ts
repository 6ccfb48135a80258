import { desc, inArray, type SQL, sql } from "drizzle-orm";
import type { Page, PageRequest } from "../../contract/list.ts";
import type { RunSummary } from "../../contract/run.ts";
import type { RunFilter } from "../../ports/store/run-store.ts";
import { type RunSummaryRow, toRunSummary } from "../shared/run-shapes.ts";
import { runTerms } from "../shared/run-terms.ts";
import { type Listing, readList } from "../shared/read-list.ts";
import type { SqliteDatabase } from "./database.ts";
import { hasText } from "./has-text.ts";
import { createListReader } from "./list-reader.ts";
import { run } from "./schema.ts";

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
  version: run.version,
  attempt: run.attempt,
  maxAttempts: run.maxAttempts,
  tokens: readSpend("tokens"),
  costUsd: readSpend("cost_usd"),
  createdAt: run.createdAt,
  startedAt: run.startedAt,
  finishedAt: run.finishedAt,
  errorName: run.errorName,
  errorMessage: run.errorMessage,
};

/** From the index: in the row it stands behind the payload, and SQLite would walk through all of that. */
function readSpend(column: "tokens" | "cost_usd"): SQL<number | null> {
  return sql.raw(
    `CASE WHEN run.target_kind = 'agent' THEN (SELECT spend.${column} FROM run AS spend INDEXED BY run_by_spend WHERE spend.tokens IS NOT NULL AND spend.created_at = run.created_at AND spend.id = run.id) END`,
  ) as SQL<number | null>;
}

export function listRuns(database: SqliteDatabase, filter: RunFilter, page: PageRequest): Promise<Page<RunSummary>> {
  return database.readSlices(() => readList(createListReader(database), runListing(database, filter), page));
}

/** Apart, so that a test can look at the plans of its queries. */
export function runListing(database: SqliteDatabase, filter: RunFilter): Listing<RunSummaryRow, RunSummary> {
  return {
    table: "run",
    at: run.createdAt,
    id: run.id,
    terms: runTerms(run, filter, (text) => hasText([run.payload, run.input], text)),
    payloadBytes: filter.text === undefined ? [] : [sql`octet_length(${run.payload})`, sql`octet_length(${run.input})`],
    since: filter.since,
    until: filter.until,
    readRows: (ids) => runRowsQuery(database, ids).all(),
    position: (row) => ({ at: row.createdAt, id: row.id }),
    shape: toRunSummary,
  };
}

/** The rows with these ids, newest first. */
export function runRowsQuery({ db }: SqliteDatabase, ids: string[]) {
  return db.select(runSummaryColumns).from(run).where(inArray(run.id, ids)).orderBy(desc(run.createdAt), desc(run.id));
}
