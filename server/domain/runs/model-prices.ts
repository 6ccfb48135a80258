import type { Usage } from "../../contract/agent/trace.ts";
import type { ModelPrice } from "../../contract/project/settings.ts";

/** The usage of an agent's run. `costUsd`: US dollars, `null` if the cost of any call is unknown. */
export interface AgentSpend {
  tokens: number;
  costUsd: number | null;
}

export const nothingSpent: AgentSpend = { tokens: 0, costUsd: 0 };

/**
 * US dollars per million tokens, as listed by the providers in autumn 2025. Prices change: `modelPrices` of
 * signalbox.config.ts takes precedence. A model in neither list has no known price.
 */
const listedPrices: ReadonlyMap<string, ModelPrice> = new Map([
  ["gpt-5", { input: 1.25, cachedInput: 0.125, output: 10 }],
  ["gpt-5-mini", { input: 0.25, cachedInput: 0.025, output: 2 }],
  ["gpt-5-nano", { input: 0.05, cachedInput: 0.005, output: 0.4 }],
  ["gpt-4.1", { input: 2, cachedInput: 0.5, output: 8 }],
  ["gpt-4.1-mini", { input: 0.4, cachedInput: 0.1, output: 1.6 }],
  ["gpt-4.1-nano", { input: 0.1, cachedInput: 0.025, output: 0.4 }],
  ["gpt-4o", { input: 2.5, cachedInput: 1.25, output: 10 }],
  ["gpt-4o-mini", { input: 0.15, cachedInput: 0.075, output: 0.6 }],
  ["claude-opus-4-1", { input: 15, cachedInput: 1.5, output: 75 }],
  ["claude-sonnet-4-5", { input: 3, cachedInput: 0.3, output: 15 }],
  ["claude-haiku-4-5", { input: 1, cachedInput: 0.1, output: 5 }],
  // `scriptedModel` of signalbox/agent: it calls no provider and costs nothing.
  ["scripted-model", { input: 0, output: 0 }],
]);

/**
 * The price of a model: under its own id, or that without the date of its release (`gpt-5-2025-08-07`). `null`:
 * unknown.
 */
export function findPrice(modelId: string, own: Readonly<Record<string, ModelPrice>> = {}): ModelPrice | null {
  const undated = modelId.replace(/-\d{4}-?\d{2}-?\d{2}$/, "");
  const ownPrices = new Map(Object.entries(own));
  return (
    ownPrices.get(modelId) ?? ownPrices.get(undated) ?? listedPrices.get(modelId) ?? listedPrices.get(undated) ?? null
  );
}

/** US dollars of one call. Tokens that the provider does not count are ignored. */
export function costOf(usage: Usage, price: ModelPrice): number {
  const cached = usage.cachedInputTokens ?? 0;
  const fresh = Math.max(0, (usage.inputTokens ?? 0) - cached);
  const usd =
    (fresh * price.input + cached * (price.cachedInput ?? price.input) + (usage.outputTokens ?? 0) * price.output) /
    1_000_000;
  return roundUsd(usd);
}

/** Rounds to a billionth, so that sums stay readable. */
function roundUsd(usd: number): number {
  return Math.round(usd * 1e9) / 1e9;
}

/** Adds one call of the model. Tokens that its provider does not count are ignored. */
export function addSpend(before: AgentSpend, { usage, costUsd }: { usage: Usage; costUsd: number | null }): AgentSpend {
  return {
    tokens: before.tokens + (usage.inputTokens ?? 0) + (usage.outputTokens ?? 0),
    costUsd: before.costUsd === null || costUsd === null ? null : roundUsd(before.costUsd + costUsd),
  };
}
