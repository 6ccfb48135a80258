import { setImmediate } from "node:timers/promises";
import { spendFilterSchema } from "../contract/filters.ts";
import { readPages } from "../contract/list.ts";
import type { RunAction } from "../contract/run-bulk.ts";
import type { Run, RunSummary, RunsUsage } from "../contract/run.ts";
import { openStatuses } from "../shared/runs/run-state.ts";
import { dropUndefined } from "../domain/drop-undefined.ts";
import type { Clock } from "../ports/clock.ts";
import type { AgentSpend, RunFilter, RunStore } from "../ports/store/run-store.ts";

const maxCounted = 10_000;
const pageRows = 100;
/** Time limit for counts and sums, because a person waits for them. */
const maxMs = 1_500;

interface Counted {
  count: number;
  /** There are more, or counting them would take too long. */
  isCapped: boolean;
}

interface CountDeps {
  store: Pick<RunStore, "listRuns">;
  clock: Clock;
}

/** The number of runs, up to 10,000. `action`: only the runs that it affects. */
export async function countRuns(deps: CountDeps, filter: RunFilter, action?: RunAction): Promise<Counted> {
  if (action === "resume") return countListed(deps, { ...filter, unresolved: true });
  if (action !== "cancel") return countListed(deps, filter);
  const statuses = openStatuses.filter((status) => filter.status === undefined || filter.status === status);
  const counts = await Promise.all(statuses.map((status) => countListed(deps, { ...filter, status })));
  return {
    count: counts.reduce((sum, { count }) => sum + count, 0),
    isCapped: counts.some(({ isCapped }) => isCapped),
  };
}

async function countListed(deps: CountDeps, filter: RunFilter): Promise<Counted> {
  const deadline = deps.clock.now() + maxMs;
  const signal = AbortSignal.timeout(maxMs);
  let count = 0;
  let cursor: string | null = null;
  while (count < maxCounted && deps.clock.now() < deadline) {
    const page: Awaited<ReturnType<RunStore["listRuns"]>> = await deps.store.listRuns(filter, {
      limit: pageRows,
      cursor,
      signal,
    });
    count += page.data.length;
    if (page.nextCursor === null) return { count, isCapped: false };
    cursor = page.nextCursor;
    // Webhooks are received on the same event loop.
    await setImmediate();
  }
  return { count, isCapped: true };
}

/**
 * Total usage of the agent runs of a filter. Of very many runs, only the newest are summed, and `isCapped` is true.
 * Fields outside the spend index are slower and are summed over fewer runs. Runs of workflows have no usage.
 */
export async function sumUsage(
  deps: { store: Pick<RunStore, "sumSpend" | "listRuns">; clock: Clock },
  filter: RunFilter,
): Promise<RunsUsage> {
  const { agents, isCapped } = await sumAgents(deps, filter);
  const dearest = agents.toSorted(
    (one, other) => other.costUsd - one.costUsd || other.tokens - one.tokens || (one.agent < other.agent ? -1 : 1),
  );
  const sum = (of: (spend: AgentSpend) => number) => agents.reduce((total, spend) => total + of(spend), 0);
  const all = {
    runs: sum(({ runs }) => runs),
    pricedRuns: sum(({ pricedRuns }) => pricedRuns),
    tokens: sum(({ tokens }) => tokens),
    costUsd: sum(({ costUsd }) => costUsd),
  };
  return { ...withCost(all), isCapped, agents: dearest.map(withCost) };
}

async function sumAgents(deps: Parameters<typeof sumUsage>[0], filter: RunFilter): ReturnType<RunStore["sumSpend"]> {
  const { targetKind, ...indexed } = dropUndefined(filter);
  if (targetKind === "workflow") return { agents: [], isCapped: false };
  const isIndexed = Object.keys(indexed).every((name) => Object.hasOwn(spendFilterSchema.shape, name));
  return isIndexed ? deps.store.sumSpend(indexed) : sumListed(deps, filter);
}

/** Rounds to a billionth, so that sums stay readable. */
function withCost<Sums extends { pricedRuns: number; costUsd: number }>(
  sums: Sums,
): Omit<Sums, "costUsd"> & { costUsd: number | null } {
  return { ...sums, costUsd: sums.pricedRuns === 0 ? null : Math.round(sums.costUsd * 1e9) / 1e9 };
}

async function sumListed(
  { store, clock }: { store: Pick<RunStore, "listRuns">; clock: Clock },
  filter: RunFilter,
): Promise<{ agents: AgentSpend[]; isCapped: boolean }> {
  const deadline = clock.now() + maxMs;
  const signal = AbortSignal.timeout(maxMs);
  const sums = new Map<string, AgentSpend>();
  let cursor: string | null = null;
  for (let listed = 0; listed < maxCounted && clock.now() < deadline;) {
    const page: Awaited<ReturnType<RunStore["listRuns"]>> = await store.listRuns(filter, {
      limit: pageRows,
      cursor,
      signal,
    });
    listed += page.data.length;
    for (const run of page.data) addRun(sums, run);
    cursor = page.nextCursor;
    if (cursor === null) return { agents: [...sums.values()], isCapped: false };
    // Webhooks are received on the same event loop.
    await setImmediate();
  }
  return { agents: [...sums.values()], isCapped: true };
}

function addRun(sums: Map<string, AgentSpend>, { target, tokens, costUsd }: RunSummary): void {
  if (tokens === null) return;
  const sum = sums.get(target.slug) ?? { agent: target.slug, runs: 0, pricedRuns: 0, tokens: 0, costUsd: 0 };
  sums.set(target.slug, {
    agent: target.slug,
    runs: sum.runs + 1,
    pricedRuns: sum.pricedRuns + (costUsd === null ? 0 : 1),
    tokens: sum.tokens + tokens,
    costUsd: sum.costUsd + (costUsd ?? 0),
  });
}

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
  const pages = readPages((cursor) => deps.store.listRuns({ ...filter, until }, { limit: pageRows, cursor }));
  for await (const { data } of pages) yield data;
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
