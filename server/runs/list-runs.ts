import type { Page, PageRequest } from "../contract/list.ts";
import type { RunSummary } from "../contract/run.ts";
import type { RunFilter, RunStore } from "../ports/store/run-store.ts";

/** Runs, newest first, without their payloads. */
export function listRuns(
  deps: { store: Pick<RunStore, "listRuns"> },
  p: { filter: RunFilter; page: PageRequest },
): Promise<Page<RunSummary>> {
  return deps.store.listRuns(p.filter, p.page);
}
