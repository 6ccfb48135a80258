import type { RunsUsage } from "../../server/contract/runs-usage.ts";
import { formatNumber, formatTokens, formatUsd } from "../../server/domain/format.ts";

/** `312 runs, 1.2 M tokens, $4.10`; says where a cost is not known, and where there are older runs. */
export function saySpend({
  runs,
  pricedRuns,
  tokens,
  costUsd,
  isCapped,
}: Pick<RunsUsage, "runs" | "pricedRuns" | "tokens" | "costUsd"> & { isCapped: boolean }): string {
  const counted = `${isCapped ? "the newest " : ""}${formatNumber(runs)} ${runs === 1 ? "run" : "runs"}`;
  return [counted, formatTokens(tokens), sayCost({ runs, pricedRuns, costUsd })]
    .filter((part) => part !== null)
    .join(", ");
}

function sayCost({ runs, pricedRuns, costUsd }: Pick<RunsUsage, "runs" | "pricedRuns" | "costUsd">): string | null {
  if (runs === 0) return null;
  if (costUsd === null) return "cost not known";
  const unknown = runs - pricedRuns;
  return unknown === 0 ? formatUsd(costUsd) : `${formatUsd(costUsd)} (${formatNumber(unknown)} of unknown cost)`;
}
