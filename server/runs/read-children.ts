import { type RunStatus, runStatusSchema, type RunSummary, type RunsUsage } from "../contract/run.ts";
import type { Clock } from "../ports/clock.ts";
import type { ProjectReader } from "../ports/project.ts";
import type { RunStore } from "../ports/store/run-store.ts";
import { sumUsage } from "./filtered-runs.ts";
import { listRuns } from "./read-runs.ts";

/** The runs that a run called or started. */
export interface RunChildren {
  /** The newest child runs. */
  newest: RunSummary[];
  /** The number of child runs with each status, of those that occur. */
  counts: { status: RunStatus; runs: number }[];
  /** There are more than were counted. */
  isCapped: boolean;
  /** What the run and its child runs have used together. `null`: none of them is an agent. */
  usage: Omit<RunsUsage, "agents"> | null;
}

const shownChildren = 5;
/** Longer than runs are kept: all runs are in a few buckets. */
const bucketMs = 10 * 366 * 86_400_000;

/** The child runs of a run. Of very many, only the newest are counted and summed. */
export async function readChildren(
  deps: {
    store: Pick<RunStore, "findRuns" | "findWaits" | "listRuns" | "countRuns" | "sumSpend">;
    project: ProjectReader;
    clock: Clock;
  },
  id: string,
): Promise<RunChildren> {
  const filter = { childOf: id };
  const { data: newest, nextCursor } = await listRuns(deps, { filter, page: { limit: shownChildren, cursor: null } });
  if (newest.length === 0 && nextCursor === null) return { newest, counts: [], isCapped: false, usage: null };
  const [counted, usage] = await Promise.all([deps.store.countRuns(filter, bucketMs), sumFamily(deps, id)]);
  const counts = runStatusSchema.options.flatMap((status) => {
    const runs = counted.buckets.reduce((sum, bucket) => sum + (bucket.status === status ? bucket.count : 0), 0);
    return runs === 0 ? [] : [{ status, runs }];
  });
  return { newest, counts, isCapped: counted.countedSince !== null, usage };
}

async function sumFamily(deps: Parameters<typeof readChildren>[0], id: string): Promise<RunChildren["usage"]> {
  const [own] = await deps.store.findRuns([id]);
  const { agents: _, ...ofChildren } = await sumUsage(deps, { childOf: id, targetKind: "agent" });
  if (ofChildren.runs === 0) return null;
  if (!own || own.tokens === null) return ofChildren;
  const { tokens, costUsd } = own;
  return {
    ...ofChildren,
    runs: ofChildren.runs + 1,
    pricedRuns: ofChildren.pricedRuns + (costUsd === null ? 0 : 1),
    tokens: ofChildren.tokens + tokens,
    costUsd: costUsd === null ? ofChildren.costUsd : costUsd + (ofChildren.costUsd ?? 0),
  };
}
