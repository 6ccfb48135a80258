import { expect, test } from "vitest";
import { costOf, findPrice } from "./model-prices.ts";

test("a call costs the sum of its tokens' prices, cached tokens at their own price", () => {
  const usage = { inputTokens: 1_000_000, cachedInputTokens: 400_000, outputTokens: 100_000, reasoningTokens: null };
  expect(costOf(usage, { input: 2, cachedInput: 0.5, output: 10 })).toBe(2.4);
  expect(costOf(usage, { input: 2, output: 10 })).toBe(3);
  expect(
    costOf(
      { inputTokens: null, cachedInputTokens: null, outputTokens: null, reasoningTokens: null },
      { input: 2, output: 10 },
    ),
  ).toBe(0);
});

test("a price is found by the model's id, with or without the date of its release, the project's own first", () => {
  expect(findPrice("gpt-5-mini-2025-08-07")).toEqual(findPrice("gpt-5-mini"));
  expect(findPrice("claude-sonnet-4-5-20250929")).not.toBeNull();
  expect(findPrice("gpt-5-mini", { "gpt-5-mini": { input: 1, output: 1 } })).toEqual({ input: 1, output: 1 });
  expect(findPrice("my-own")).toBeNull();
  expect(findPrice("constructor")).toBeNull();
});
