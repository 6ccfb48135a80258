import type { Run, RunSummary } from "../contract/run.ts";
import type { Clock } from "../ports/clock.ts";
import type { RunFilter, RunStore } from "../ports/store/run-store.ts";

const pageRows = 100;

/**
 * All current runs of a filter, newest first, page by page, as fast as the consumer reads them. A page can be empty
 * while the store is still searching.
 */
export async function* exportRunSummaries(
  deps: { store: Pick<RunStore, "listRuns">; clock: Clock },
  filter: RunFilter,
): AsyncGenerator<RunSummary[]> {
  // Runs created in the meantime are newer than the first page, so none is missed and the export ends.
  const until = Math.min(filter.until ?? Infinity, deps.clock.now() + 1);
  let cursor: string | null = null;
  do {
    const page: Awaited<ReturnType<RunStore["listRuns"]>> = await deps.store.listRuns(
      { ...filter, until },
      { limit: pageRows, cursor },
    );
    yield page.data;
    cursor = page.nextCursor;
  } while (cursor !== null);
}

/**
 * The same with payload, input, output and stack. One run at a time, because each can be large. A run that retention
 * removes in the meantime is skipped.
 */
export async function* exportRuns(
  deps: { store: Pick<RunStore, "listRuns" | "getRun">; clock: Clock },
  filter: RunFilter,
): AsyncGenerator<Run[]> {
  for await (const summaries of exportRunSummaries(deps, filter)) {
    if (summaries.length === 0) yield [];
    for (const { id } of summaries) {
      const stored = await deps.store.getRun(id);
      if (!stored) continue;
      const { keyId: _, ...run } = stored;
      yield [run];
    }
  }
}
