import type { Usage } from "../../../server/contract/agent/trace.ts";
import { formatNumber } from "../../../server/domain/format.ts";

/** `1,840 in (1,024 cached) · 212 out (64 reasoning)`; `null`: the provider reports nothing. */
export function sayUsage({ inputTokens, cachedInputTokens, outputTokens, reasoningTokens }: Usage): string | null {
  // A scripted model reports zero.
  if (!inputTokens && !outputTokens) return null;
  const parts = [
    inputTokens === null
      ? null
      : `${formatNumber(inputTokens)} in${cachedInputTokens ? ` (${formatNumber(cachedInputTokens)} cached)` : ""}`,
    outputTokens === null
      ? null
      : `${formatNumber(outputTokens)} out${reasoningTokens ? ` (${formatNumber(reasoningTokens)} reasoning)` : ""}`,
  ].filter((part) => part !== null);
  return parts.length === 0 ? null : parts.join(" · ");
}

export interface BudgetUse {
  of: "tokens" | "usd";
  used: number;
  limit: number;
  /** Never below 0: a run may exceed the budget by one call. */
  left: number;
}

/** The rest of an agent's budget. Input and output tokens count. */
export function budgetUse(
  budget: { tokens: number | null; usd: number | null },
  used: { usage: Usage; costUsd: number | null },
): BudgetUse[] {
  const tokens = (used.usage.inputTokens ?? 0) + (used.usage.outputTokens ?? 0);
  const use = (of: BudgetUse["of"], limit: number | null, amount: number | null): BudgetUse[] =>
    limit === null || amount === null ? [] : [{ of, used: amount, limit, left: Math.max(0, limit - amount) }];
  return [...use("tokens", budget.tokens, tokens), ...use("usd", budget.usd, used.costUsd)];
}
