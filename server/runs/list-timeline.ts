import type { Page } from "../contract/list.ts";
import type { TimelineEntry } from "../contract/timeline.ts";
import type { RunStore } from "../ports/store/run-store.ts";
import { findRun } from "./find-run.ts";

export interface ListTimelineRequest {
  runId: string;
  /** Only if this key started the run. */
  keyId?: string | undefined;
  /** Entries after this id; 0 for all. */
  after: number;
  limit: number;
}

/** The timeline of a run, oldest first. The cursor is the id of the last entry. Throws AppError `not_found`. */
export async function listTimeline(
  deps: { store: Pick<RunStore, "getRun" | "listTimeline"> },
  request: ListTimelineRequest,
): Promise<Page<TimelineEntry>> {
  await findRun(deps, { id: request.runId, keyId: request.keyId });
  const found = await deps.store.listTimeline(request.runId, { after: request.after, limit: request.limit + 1 });
  const data = found.slice(0, request.limit);
  const last = data.at(-1);
  return { data, nextCursor: found.length > data.length && last ? String(last.id) : null };
}
