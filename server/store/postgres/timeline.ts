import { and, asc, eq, gt } from "drizzle-orm";
import type { TimelineEntry } from "../../contract/timeline.ts";
import type { NewTimelineEntry } from "../../ports/store/engine-store.ts";
import { toTimelineEntry } from "../shared/timeline-shapes.ts";
import { insertRows } from "./insert-rows.ts";
import { runEvent } from "./schema.ts";
import type { Session } from "./session.ts";

export interface EntryOfRun {
  runId: string;
  entry: NewTimelineEntry;
}

/**
 * Whoever adds to the timeline of a run that others may know has locked its row: so its ids grow with the commits, and
 * who has seen one has seen all of the run below it.
 */
export async function addEntries(session: Session, entries: readonly EntryOfRun[]): Promise<void> {
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
  await insertRows(session, runEvent, rows);
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
