import type { Usage } from "../contract/agent-step.ts";
import { roundUsd } from "./model-prices.ts";

/** What an agent's run has used. `costUsd`: US dollars, `null` as soon as the cost of one call is not known. */
export interface AgentSpend {
  tokens: number;
  costUsd: number | null;
}

export const nothingSpent: AgentSpend = { tokens: 0, costUsd: 0 };

/** With one more call of the model. What its provider does not count is taken for nothing. */
export function addSpend(before: AgentSpend, { usage, costUsd }: { usage: Usage; costUsd: number | null }): AgentSpend {
  return {
    tokens: before.tokens + (usage.inputTokens ?? 0) + (usage.outputTokens ?? 0),
    costUsd: before.costUsd === null || costUsd === null ? null : roundUsd(before.costUsd + costUsd),
  };
}
