import { CircleSlash, Hourglass, LoaderCircle, TriangleAlert } from "lucide-react";
import type { Turn } from "../../../server/contract/agent/conversation.ts";
import type { ModelFailureStep, Usage } from "../../../server/contract/agent/trace.ts";
import { formatNumber } from "../../../server/shared/format.ts";
import type { StatusStyle } from "../../ui/statuses.ts";

/** The status of a model call without an answer. */
export function callFaces({
  isInProgress,
  live,
  failures,
}: Pick<Turn, "isInProgress" | "live" | "failures">): StatusStyle {
  if (isInProgress)
    return {
      label: live && (live.text !== "" || live.reasoning !== "") ? "answering" : "waiting for the model",
      icon: LoaderCircle,
      tone: "run",
    };
  const last = failures.at(-1);
  if (last && last.retryAt !== null) return { label: "waiting to retry", icon: Hourglass, tone: "wait" };
  return last && last.failure.waitMs === null
    ? { label: "failed", icon: TriangleAlert, tone: "bad" }
    : { label: "no answer", icon: CircleSlash, tone: "idle" };
}

const finishes: Record<string, string> = {
  stop: "complete",
  length: "cut off at the length limit",
  "content-filter": "stopped by the content filter",
  "tool-calls": "calls tools",
  error: "interrupted",
};

/** Why a model stopped. Unknown reasons are shown as the provider sent them. */
export function finishText(reason: string): string {
  return Object.hasOwn(finishes, reason) ? (finishes[reason] ?? reason) : `finished: ${reason}`;
}

/** The title of each kind of failed model call. */
export const failureLabels: Record<ModelFailureStep["kind"], string> = {
  rate_limited: "Rate limit of the provider",
  overloaded: "Provider overloaded or unavailable",
  timed_out: "Timeout",
  disconnected: "Connection lost",
  rejected: "Rejected by the provider",
};

/** `1,840 in (1,024 cached) · 212 out (64 reasoning)`; `null`: the provider reports nothing. */
export function formatUsage({ inputTokens, cachedInputTokens, outputTokens, reasoningTokens }: Usage): string | null {
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

interface BudgetUse {
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
