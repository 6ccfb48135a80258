import { and, type Column, eq, gte, isNotNull, lt, type SQL, sql } from "drizzle-orm";
import type { AgentSpend, SpendFilter } from "../../ports/store/run-store.ts";
import type { AskedRun } from "./run-terms.ts";

type AskedColumn =
  | "id"
  | "createdAt"
  | "tokens"
  | "costUsd"
  | "targetSlug"
  | "targetKind"
  | "status"
  | "trigger"
  | "version";

/** A second's hundredth or two, on SQLite in the process that takes webhooks. */
const mostRuns = 25_000;

/** `looked`: how many runs, whether the filter holds for them or not. */
export type SpendRow = Record<"agent", string> & Record<"looked" | Exclude<keyof AgentSpend, "agent">, number>;

type SpendColumns = Readonly<Record<AskedColumn, Column>>;

/** The runs of agents in the time. `from`: the table, as the database is told to read it. */
export function spendingRunsQuery(run: SpendColumns, from: SQL, { since, until }: AskedRun<SpendFilter>): SQL {
  const inTime = and(
    isNotNull(run.tokens),
    since === undefined ? undefined : gte(run.createdAt, since),
    until === undefined ? undefined : lt(run.createdAt, until),
  );
  return sql`SELECT ${run.tokens}, ${run.costUsd}, ${run.targetSlug}, ${run.status}, ${run.trigger}, ${run.version}, ${run.createdAt} AS at, ${run.id} AS id FROM ${from} WHERE ${inTime}`;
}

/** The newest of these runs, and what of them the filter holds for. */
export function sumSpendQuery(run: SpendColumns, runs: SQL, filter: AskedRun<SpendFilter>): SQL {
  const newest = sql`${runs} ORDER BY at DESC, id DESC LIMIT ${mostRuns + 1}`;
  const holds = sql`FILTER (WHERE ${and(...conditionsOf(run, filter)) ?? sql`TRUE`})`;
  return sql`SELECT target_slug AS agent, count(*) AS looked, count(*) ${holds} AS runs, count(cost_usd) ${holds} AS "pricedRuns",
    coalesce(sum(tokens) ${holds}, 0) AS tokens, coalesce(sum(cost_usd) ${holds}, 0) AS "costUsd" FROM (${newest}) AS run GROUP BY target_slug`;
}

function conditionsOf(
  run: Readonly<Record<AskedColumn, Column>>,
  { trigger, target, targetKind, status, version, minTokens, minCostUsd }: AskedRun<SpendFilter>,
): (SQL | undefined)[] {
  return [
    trigger === undefined ? undefined : eq(run.trigger, trigger),
    target === undefined ? undefined : eq(run.targetSlug, target),
    // Nothing is counted of workflows.
    targetKind === "workflow" ? sql`FALSE` : undefined,
    status === undefined ? undefined : eq(run.status, status),
    version === undefined ? undefined : eq(run.version, version),
    minTokens === undefined ? undefined : gte(run.tokens, minTokens),
    minCostUsd === undefined ? undefined : gte(run.costUsd, minCostUsd),
  ];
}

export function toSpend(rows: readonly SpendRow[]): { agents: AgentSpend[]; isCapped: boolean } {
  const looked = rows.reduce((sum, row) => sum + Number(row.looked), 0);
  const agents = rows.map(({ agent, ...row }) => ({
    agent,
    runs: Number(row.runs),
    pricedRuns: Number(row.pricedRuns),
    tokens: Number(row.tokens),
    costUsd: Number(row.costUsd),
  }));
  return { agents: agents.filter(({ runs }) => runs > 0), isCapped: looked > mostRuns };
}
