import type { Page } from "../contract/page.ts";
import type { RunSummary } from "../contract/run.ts";
import type { PageRequest, RunFilter, RunStore } from "../ports/store.ts";

/** Runs, newest first, without their payloads. */
export function listRuns(
  deps: { store: Pick<RunStore, "listRuns"> },
  p: { filter: RunFilter; page: PageRequest },
): Promise<Page<RunSummary>> {
  return deps.store.listRuns(p.filter, p.page);
}
