import { and, type Column, gte, isNotNull, lt, type SQL, sql } from "drizzle-orm";
import type { AgentSpend, SpendFilter } from "../../ports/store/run-store.ts";
import type { Term } from "./lists/read-list.ts";

type SpendColumn = "id" | "createdAt" | "tokens" | "costUsd" | "targetSlug" | "status" | "trigger" | "version";

/** Reading these takes 10 to 20 milliseconds; on SQLite, in the process that receives webhooks. */
const maxRuns = 25_000;

/** `examined`: the number of runs, including those that do not match the filter. */
export type SpendRow = Record<"agent", string> & Record<"examined" | Exclude<keyof AgentSpend, "agent">, number>;

/** The runs of agents in the time range. `from`: the table, with the index that the database must use. */
export function spendingRunsQuery(
  run: Readonly<Record<SpendColumn, Column>>,
  from: SQL,
  { since, until }: Pick<SpendFilter, "since" | "until">,
): SQL {
  const isInRange = and(
    isNotNull(run.tokens),
    since === undefined ? undefined : gte(run.createdAt, since),
    until === undefined ? undefined : lt(run.createdAt, until),
  );
  return sql`
    SELECT ${run.tokens}, ${run.costUsd}, ${run.targetSlug}, ${run.status}, ${run.trigger}, ${run.version},
      ${run.createdAt} AS at, ${run.id} AS id
    FROM ${from} WHERE ${isInRange}`;
}

/** Sums the newest of these runs that satisfy all terms. */
export function sumSpendQuery(runs: SQL, terms: readonly Term[]): SQL {
  const newest = sql`${runs} ORDER BY at DESC, id DESC LIMIT ${maxRuns + 1}`;
  const matching = sql`FILTER (WHERE ${and(...terms.map(({ condition }) => condition)) ?? sql`TRUE`})`;
  return sql`
    SELECT target_slug AS agent, count(*) AS examined, count(*) ${matching} AS runs,
      count(cost_usd) ${matching} AS "pricedRuns", coalesce(sum(tokens) ${matching}, 0) AS tokens,
      coalesce(sum(cost_usd) ${matching}, 0) AS "costUsd"
    FROM (${newest}) AS run GROUP BY target_slug`;
}

export function toSpend(rows: readonly SpendRow[]): { agents: AgentSpend[]; isCapped: boolean } {
  const examined = rows.reduce((sum, row) => sum + Number(row.examined), 0);
  const agents = rows.map(({ agent, ...row }) => ({
    agent,
    runs: Number(row.runs),
    pricedRuns: Number(row.pricedRuns),
    tokens: Number(row.tokens),
    costUsd: Number(row.costUsd),
  }));
  return { agents: agents.filter(({ runs }) => runs > 0), isCapped: examined > maxRuns };
}
