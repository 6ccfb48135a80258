import { and, desc, eq, gte, lt, sql } from "drizzle-orm";
import type { Page } from "../../contract/page.ts";
import type { RunSummary } from "../../contract/run.ts";
import type { PageRequest, RunFilter } from "../../ports/store.ts";
import { hasText } from "./has-text.ts";
import { readPageRequest, toPage } from "../shared/cursor.ts";
import { toRunSummary } from "../shared/run-shapes.ts";
import type { SqliteDatabase } from "./database.ts";
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
  createdAt: run.createdAt,
  startedAt: run.startedAt,
  finishedAt: run.finishedAt,
  errorName: run.errorName,
  errorMessage: run.errorMessage,
};

export function listRuns(database: SqliteDatabase, filter: RunFilter, page: PageRequest): Page<RunSummary> {
  return toPage(listRunsQuery(database, filter, page).all(), {
    limit: page.limit,
    position: (row) => ({ at: row.createdAt, id: row.id }),
    shape: toRunSummary,
  });
}

/** Apart, so that a test can look at its plan. */
export function listRunsQuery({ db }: SqliteDatabase, filter: RunFilter, page: PageRequest) {
  const { limit, after } = readPageRequest(page);
  return db
    .select(runSummaryColumns)
    .from(run)
    .where(
      and(
        filter.trigger === undefined ? undefined : eq(run.trigger, filter.trigger),
        filter.target === undefined ? undefined : eq(run.targetSlug, filter.target),
        filter.targetKind === undefined ? undefined : eq(run.targetKind, filter.targetKind),
        filter.status === undefined ? undefined : eq(run.status, filter.status),
        filter.delivery === undefined ? undefined : eq(run.deliveryId, filter.delivery),
        filter.keyId === undefined ? undefined : eq(run.keyId, filter.keyId),
        filter.version === undefined ? undefined : eq(run.version, filter.version),
        filter.replayOf === undefined ? undefined : eq(run.replayOf, filter.replayOf),
        filter.text === undefined ? undefined : hasText([run.payload, run.input], filter.text),
        filter.since === undefined ? undefined : gte(run.createdAt, filter.since),
        filter.until === undefined ? undefined : lt(run.createdAt, filter.until),
        after ? sql`(${run.createdAt}, ${run.id}) < (${after.at}, ${after.id})` : undefined,
      ),
    )
    .orderBy(desc(run.createdAt), desc(run.id))
    .limit(limit + 1);
}
