import { setImmediate } from "node:timers/promises";
import type { RunSummary, RunsUsage } from "../contract/run.ts";
import type { Clock } from "../ports/clock.ts";
import type { AgentSpend, RunFilter, RunStore } from "../ports/store/run-store.ts";

const maxListed = 10_000;
const pageRows = 100;
/** Time limit, because a person waits for the numbers. */
const maxMs = 1_500;

/**
 * Total usage of the agent runs of a filter. Of very many runs, only the newest are summed, and `isCapped` is true.
 * Filters outside the spend index (`text`, `delivery`, `replayOf`, `keyId`, `needsApproval`) are slower and are summed
 * over fewer runs.
 */
export async function sumUsage(
  deps: { store: Pick<RunStore, "sumSpend" | "listRuns">; clock: Clock },
  filter: RunFilter,
): Promise<RunsUsage> {
  const { text, delivery, replayOf, keyId, needsApproval, ...indexed } = filter;
  const isIndexed = [text, delivery, replayOf, keyId, needsApproval].every((asked) => asked === undefined);
  const { agents, isCapped } = isIndexed ? await deps.store.sumSpend(indexed) : await sumListed(deps, filter);
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
  const sums = new Map<string, AgentSpend>();
  let cursor: string | null = null;
  for (let listed = 0; listed < maxListed && clock.now() < deadline;) {
    const page: Awaited<ReturnType<RunStore["listRuns"]>> = await store.listRuns(filter, { limit: pageRows, cursor });
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
