import type { RunFilter, RunStore } from "../ports/store.ts";

const most = 10_000;
const pageRows = 100;

/** How many runs there are, as far as 10,000. `isCapped`: there are more, or the look ended before all were seen. */
export async function countRuns(deps: { store: Pick<RunStore, "listRuns"> }, filter: RunFilter): Promise<{ count: number; isCapped: boolean }> {
  let count = 0;
  let cursor: string | null = null;
  for (let page = 0; page < most / pageRows; page++) {
    const { data, nextCursor } = await deps.store.listRuns(filter, { limit: pageRows, cursor });
    count += data.length;
    if (nextCursor === null) return { count, isCapped: false };
    cursor = nextCursor;
  }
  return { count, isCapped: true };
}
