import { expect, it } from "vitest";
import { budgetUse, formatUsage } from "./call-labels.ts";

const usage = { inputTokens: 1840, cachedInputTokens: 1024, outputTokens: 212, reasoningTokens: 64 };

it("shows the tokens that the provider reports", () => {
  expect(formatUsage(usage)).toBe("1,840 in (1,024 cached) · 212 out (64 reasoning)");
  expect(formatUsage({ ...usage, cachedInputTokens: 0, reasoningTokens: null })).toBe("1,840 in · 212 out");
  expect(formatUsage({ inputTokens: 0, cachedInputTokens: null, outputTokens: 0, reasoningTokens: null })).toBeNull();
  expect(
    formatUsage({ inputTokens: null, cachedInputTokens: null, outputTokens: null, reasoningTokens: null }),
  ).toBeNull();
});

it("the rest of a budget is never negative, and absent if the cost is unknown", () => {
  expect(budgetUse({ tokens: 2_000, usd: 0.25 }, { usage, costUsd: 0.1 })).toEqual([
    { of: "tokens", used: 2_052, limit: 2_000, left: 0 },
    { of: "usd", used: 0.1, limit: 0.25, left: 0.15 },
  ]);
  expect(budgetUse({ tokens: null, usd: 0.25 }, { usage, costUsd: null })).toEqual([]);
});
