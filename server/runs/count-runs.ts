import { setImmediate } from "node:timers/promises";
import type { Clock } from "../ports/clock.ts";
import type { RunFilter, RunStore } from "../ports/store/run-store.ts";

const most = 10_000;
const pageRows = 100;
/** Time limit, because a person waits for the number. */
const maxMs = 1_500;

/** The number of runs, up to 10,000. `isCapped`: there are more, or counting them would take too long. */
export async function countRuns(
  deps: { store: Pick<RunStore, "listRuns">; clock: Clock },
  filter: RunFilter,
): Promise<{ count: number; isCapped: boolean }> {
  const deadline = deps.clock.now() + maxMs;
  let count = 0;
  let cursor: string | null = null;
  while (count < most && deps.clock.now() < deadline) {
    const page: Awaited<ReturnType<RunStore["listRuns"]>> = await deps.store.listRuns(filter, {
      limit: pageRows,
      cursor,
    });
    count += page.data.length;
    if (page.nextCursor === null) return { count, isCapped: false };
    cursor = page.nextCursor;
    // Webhooks are received on the same event loop.
    await setImmediate();
  }
  return { count, isCapped: true };
}
