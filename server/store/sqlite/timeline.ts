import { and, asc, eq, gt, sql } from "drizzle-orm";
import type { TimelineEntry } from "../../contract/timeline.ts";
import type { NewTimelineEntry } from "../../ports/store/engine-store.ts";
import { toTimelineEntry } from "../shared/timeline-shapes.ts";
import type { SqliteDatabase } from "./database.ts";
import { prepareInsert } from "./prepare-insert.ts";
import { runEvent } from "./schema.ts";

export type AddEntry = (runId: string, entry: NewTimelineEntry) => void;

/** Ids come from one counter under the write lock: who has seen an id has seen all below it. */
export function prepareAddEntry({ db, connection }: SqliteDatabase): AddEntry {
  const query = db.insert(runEvent).values({
    runId: sql.placeholder("runId"),
    at: sql.placeholder("at"),
    kind: sql.placeholder("kind"),
    attempt: sql.placeholder("attempt"),
    name: sql.placeholder("name"),
    level: sql.placeholder("level"),
    message: sql.placeholder("message"),
    durationMs: sql.placeholder("durationMs"),
    until: sql.placeholder("until"),
    error: sql.placeholder("error"),
    data: sql.placeholder("data"),
  });
  const insert = prepareInsert(connection, query);
  return (
    runId,
    {
      at,
      kind,
      attempt,
      name = null,
      level = null,
      message = null,
      durationMs = null,
      until = null,
      error = null,
      data = null,
    },
  ) => {
    insert({ runId, at, kind, attempt, name, level, message, durationMs, until, error, data });
  };
}

export function listTimeline(
  { db }: SqliteDatabase,
  runId: string,
  p: { after: number; limit: number },
): TimelineEntry[] {
  return db
    .select()
    .from(runEvent)
    .where(and(eq(runEvent.runId, runId), gt(runEvent.id, p.after)))
    .orderBy(asc(runEvent.id))
    .limit(p.limit)
    .all()
    .map(toTimelineEntry);
}
