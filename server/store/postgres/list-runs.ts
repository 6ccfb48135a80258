import { desc, eq, inArray } from "drizzle-orm";
import type { Page } from "../../contract/page.ts";
import type { RunSummary } from "../../contract/run.ts";
import type { PageRequest, RunFilter } from "../../ports/store.ts";
import { type RunSummaryRow, toRunSummary } from "../shared/run-shapes.ts";
import { type Listing, readList, type Term } from "../shared/read-list.ts";
import { awaitSteps } from "../shared/steps.ts";
import { jsonHasText } from "./has-text.ts";
import { createListReader } from "./list-reader.ts";
import { run } from "./schema.ts";
import type { Session } from "./session.ts";

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

export function listRuns(session: Session, filter: RunFilter, page: PageRequest): Promise<Page<RunSummary>> {
  const listing: Listing<RunSummaryRow, RunSummary> = {
    table: "run",
    at: run.createdAt,
    id: run.id,
    terms: termsOf(filter),
    since: filter.since,
    until: filter.until,
    readRows: (ids) => readRunRows(session, ids),
    position: (row) => ({ at: row.createdAt, id: row.id }),
    shape: toRunSummary,
  };
  return awaitSteps(readList(createListReader(session), listing, page));
}

/** The rows with these ids, newest first. */
export function readRunRows({ db }: Session, ids: string[]): Promise<RunSummaryRow[]> {
  return db.select(runSummaryColumns).from(run).where(inArray(run.id, ids)).orderBy(desc(run.createdAt), desc(run.id));
}

function termsOf({ delivery, replayOf, keyId, trigger, target, targetKind, status, version, text }: RunFilter): Term[] {
  const terms: (Term | undefined)[] = [
    delivery === undefined ? undefined : { condition: eq(run.deliveryId, delivery), index: "run_by_delivery" },
    replayOf === undefined ? undefined : { condition: eq(run.replayOf, replayOf), index: "run_by_replay" },
    keyId === undefined ? undefined : { condition: eq(run.keyId, keyId), index: "run_by_key" },
    status === undefined ? undefined : { condition: eq(run.status, status), index: "run_by_status" },
    trigger === undefined ? undefined : { condition: eq(run.trigger, trigger), index: "run_by_trigger" },
    target === undefined ? undefined : { condition: eq(run.targetSlug, target), index: "run_by_target" },
    version === undefined ? undefined : { condition: eq(run.version, version) },
    targetKind === undefined ? undefined : { condition: eq(run.targetKind, targetKind) },
    text === undefined ? undefined : { condition: jsonHasText([run.payload, run.input], text), isSlow: true },
  ];
  return terms.filter((term) => term !== undefined);
}
