import type { RunSummary, RunsUsage, StartedBy } from "../../server/contract/run.ts";
import { formatCount, formatNumber, formatTokens, formatUsd } from "../../server/shared/format.ts";
import { runStatuses } from "../ui/statuses.ts";

/** The number of replays listed on the page of a run, newest first. */
export const shownReplays = 3;

/** Whether `onFailure` is called for a run. */
export function callsOnFailure({ status, failureOf }: Pick<RunSummary, "status" | "failureOf">): boolean {
  return failureOf === null && (status === "failed" || status === "timed_out");
}

export const startedByLabels: Record<StartedBy, string> = {
  webhook: "webhook",
  form: "app",
  api: "API",
  cli: "command line",
  replay: "replay",
  parent: "parent run",
  failure: "onFailure",
};

/** The title of a run in the browser's tab: `✗ welcome-email`. */
export function runTitle({ status, target }: Pick<RunSummary, "status" | "target">): string {
  return `${runStatuses[status].mark} ${target.slug}`;
}

/** `312 runs, 1.2 M tokens, $4.10`; mentions unknown costs, and that older runs are left out. */
export function formatRunsUsage({
  runs,
  pricedRuns,
  tokens,
  costUsd,
  isCapped,
}: Pick<RunsUsage, "runs" | "pricedRuns" | "tokens" | "costUsd"> & { isCapped: boolean }): string {
  const counted = `${isCapped ? "the newest " : ""}${formatCount(runs, "run")}`;
  return `${counted}, ${formatSpend({ runs, pricedRuns, tokens, costUsd })}`;
}

/** `1.2 M tokens, $4.10`; mentions unknown costs. */
export function formatSpend({
  runs,
  pricedRuns,
  tokens,
  costUsd,
}: Pick<RunsUsage, "runs" | "pricedRuns" | "tokens" | "costUsd">): string {
  const cost = costText({ runs, pricedRuns, costUsd });
  return cost === null ? formatTokens(tokens) : `${formatTokens(tokens)}, ${cost}`;
}

function costText({ runs, pricedRuns, costUsd }: Pick<RunsUsage, "runs" | "pricedRuns" | "costUsd">): string | null {
  if (runs === 0) return null;
  if (costUsd === null) return "cost unknown";
  const unknown = runs - pricedRuns;
  return unknown === 0 ? formatUsd(costUsd) : `${formatUsd(costUsd)} (${formatNumber(unknown)} of unknown cost)`;
}
