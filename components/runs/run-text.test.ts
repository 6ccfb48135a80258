import { expect, it } from "vitest";
import { formatRunsUsage } from "./run-text.ts";
import { formatTokens } from "../../server/shared/format.ts";

it("the usage of runs is one line, including unknown costs", () => {
  expect(formatRunsUsage({ runs: 312, pricedRuns: 312, tokens: 1_204_500, costUsd: 4.1, isCapped: false })).toBe(
    "312 runs, 1.2 M tokens, $4.10",
  );
  expect(formatRunsUsage({ runs: 25_001, pricedRuns: 24_999, tokens: 9_999, costUsd: 0.31, isCapped: true })).toBe(
    "the newest 25,001 runs, 9,999 tokens, $0.31 (2 of unknown cost)",
  );
  expect(formatRunsUsage({ runs: 1, pricedRuns: 0, tokens: 1, costUsd: null, isCapped: false })).toBe(
    "1 run, 1 token, cost unknown",
  );
  expect(formatRunsUsage({ runs: 0, pricedRuns: 0, tokens: 0, costUsd: null, isCapped: false })).toBe(
    "0 runs, 0 tokens",
  );
});

it("large numbers of tokens are never rounded to a thousand of the smaller unit", () => {
  expect([812, 10_000, 12_649, 999_949, 999_950, 1_000_000, 999_950_000].map(formatTokens)).toEqual([
    "812 tokens",
    "10 k tokens",
    "12.6 k tokens",
    "999.9 k tokens",
    "1 M tokens",
    "1 M tokens",
    "1 G tokens",
  ]);
});
