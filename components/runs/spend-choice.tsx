"use client";

import { Choice } from "../ui/choice.tsx";
import type { RunFilterState } from "./run-filters.ts";
import { formatTokens, formatUsd } from "../../server/domain/format.ts";

const dollars = [0.01, 0.1, 1, 10];
const tokens = [10_000, 100_000, 1_000_000];

/** The minimum cost or tokens of a run. The URL can set other amounts. */
export function SpendChoice({
  state,
  onChange,
}: {
  state: RunFilterState;
  onChange: (change: Partial<RunFilterState>) => void;
}) {
  const { minCostUsd, minTokens } = state;
  const value = minCostUsd !== null ? `usd ${minCostUsd}` : minTokens !== null ? `tokens ${minTokens}` : "any";
  const options = [
    { value: "any", label: "Any cost" },
    ...withAmount(dollars, minCostUsd).map((usd) => ({ value: `usd ${usd}`, label: `${formatUsd(usd)} or more` })),
    ...withAmount(tokens, minTokens).map((count) => ({
      value: `tokens ${count}`,
      label: `${formatTokens(count)} or more`,
    })),
  ];
  const choose = (chosen: string) => {
    const [unit, amount] = chosen.split(" ");
    onChange({
      minCostUsd: unit === "usd" ? Number(amount) : null,
      minTokens: unit === "tokens" ? Number(amount) : null,
    });
  };
  return <Choice label="Cost and tokens" value={value} options={options} onChange={choose} />;
}

function withAmount(amounts: readonly number[], one: number | null): number[] {
  return one === null || amounts.includes(one) ? [...amounts] : [...amounts, one].toSorted((a, b) => a - b);
}
