import { and, asc, eq, gt } from "drizzle-orm";
import type { TimelineEntry } from "../../../contract/timeline.ts";
import type { NewTimelineEntry } from "../../../ports/store/engine-store.ts";
import { toTimelineEntry } from "../../shared/timeline-shapes.ts";
import { inPortions } from "../statements/in-portions.ts";
import { type InsertPart, insertParts, toInsert } from "../statements/insert-rows.ts";
import { runEvent } from "../schema.ts";
import type { Session } from "../connection/session.ts";

export interface EntryOfRun {
  runId: string;
  entry: NewTimelineEntry;
}

/**
 * The caller has locked the row of the run, if other processes can know the run. So the ids of its entries ascend in
 * the order of the commits: a reader that has seen an entry has seen all entries of the run with lower ids.
 */
export async function addEntries(session: Session, entries: readonly EntryOfRun[]): Promise<void> {
  for (const portion of inPortions(entries)) await insertParts(session, [toInsertEntries(portion)]);
}

/** The same as a part of a statement. `null`: there are no entries. */
export function toInsertEntries(entries: readonly EntryOfRun[]): InsertPart | null {
  const rows = entries.map(({ runId, entry }) => {
    const {
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
    } = entry;
    return { runId, at, kind, attempt, name, level, message, durationMs, until, error, data };
  });
  return toInsert(runEvent, rows);
}

export async function listTimeline(
  { db }: Session,
  runId: string,
  p: { after: number; limit: number },
): Promise<TimelineEntry[]> {
  const rows = await db
    .select()
    .from(runEvent)
    .where(and(eq(runEvent.runId, runId), gt(runEvent.id, p.after)))
    .orderBy(asc(runEvent.id))
    .limit(p.limit);
  return rows.map(toTimelineEntry);
}
