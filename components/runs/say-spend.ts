import type { RunsUsage } from "../../server/contract/runs-usage.ts";
import { sayTokens } from "../ui/say-tokens.ts";
import { sayUsd } from "../ui/say-usd.ts";

/** `312 runs, 1.2 M tokens, $4.10`; says where a cost is not known, and where there are older runs. */
export function saySpend({ runs, pricedRuns, tokens, costUsd, isCapped }: Pick<RunsUsage, "runs" | "pricedRuns" | "tokens" | "costUsd"> & { isCapped: boolean }): string {
  const counted = `${isCapped ? "the newest " : ""}${runs.toLocaleString("en")} ${runs === 1 ? "run" : "runs"}`;
  return [counted, sayTokens(tokens), sayCost({ runs, pricedRuns, costUsd })].filter((part) => part !== null).join(", ");
}

function sayCost({ runs, pricedRuns, costUsd }: Pick<RunsUsage, "runs" | "pricedRuns" | "costUsd">): string | null {
  if (runs === 0) return null;
  if (costUsd === null) return "cost not known";
  const unknown = runs - pricedRuns;
  return unknown === 0 ? sayUsd(costUsd) : `${sayUsd(costUsd)} (${unknown.toLocaleString("en")} of unknown cost)`;
}
