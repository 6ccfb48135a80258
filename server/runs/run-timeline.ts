import type { Page } from "../contract/list.ts";
import type { TimelineEntry } from "../contract/timeline.ts";
import { isEnded } from "../shared/runs/run-state.ts";
import type { Store } from "../ports/store.ts";
import type { RunStore } from "../ports/store/run-store.ts";
import { findRun } from "./read-runs.ts";
import { type ChangeWatch, watchChanges } from "../ports/watch-changes.ts";

export interface StreamRunEventsRequest {
  runId: string;
  /** Id of the reader's last entry; 0 for none. */
  after: number;
  /** Aborted when the reader disconnects or the server shuts down. */
  signal: AbortSignal;
}

const batch = 200;

/** Streams the timeline of a run after `after`, until the run has ended. Its last entry ends the run. */
export async function* streamRunEvents(
  deps: { store: Pick<Store, "getRun" | "listTimeline" | "watch"> },
  request: StreamRunEventsRequest,
): AsyncGenerator<TimelineEntry, void> {
  const changes = watchChanges(deps.store, request.signal);
  try {
    yield* follow(deps, request, changes);
  } finally {
    changes.stop();
  }
}

async function* follow(
  deps: { store: Pick<Store, "getRun" | "listTimeline"> },
  { runId, signal, ...from }: StreamRunEventsRequest,
  changes: ChangeWatch,
): AsyncGenerator<TimelineEntry, void> {
  let { after } = from;
  while (!signal.aborted) {
    // Reads the status before the entries, so that those of a run that has ended are complete.
    const run = await findRun(deps, { id: runId });
    const entries = await deps.store.listTimeline(runId, { after, limit: batch });
    for (const entry of entries) {
      yield entry;
      after = entry.id;
    }
    if (entries.length === batch) continue;
    if (isEnded(run.status)) return;
    // The run ended after its status was read, or it was resumed: the status is read again.
    const last = entries.at(-1);
    if (last && isEnded(last.kind)) continue;
    await changes.next();
  }
}

interface ListTimelineRequest {
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
