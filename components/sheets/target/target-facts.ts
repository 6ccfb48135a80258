import type { RetryPolicy } from "../../../server/contract/project/manifest.ts";
import type { RunSummary } from "../../../server/contract/run.ts";
import { formatInterval, formatNumber, formatUsd } from "../../../server/domain/format.ts";
import type { TargetDetails } from "../sheet-data.ts";

/** The limits of a target's runs, as pairs of name and text. */
export function targetLimits({
  retries,
  timeoutMs,
  concurrency,
  maxQueued,
  versions,
  agent,
}: Pick<TargetDetails, "retries" | "timeoutMs" | "concurrency" | "maxQueued" | "versions" | "agent">): [
  name: string,
  text: string,
][] {
  return [
    ...(agent ? agentLimits(agent, timeoutMs) : workflowLimits({ retries, timeoutMs })),
    ["concurrency", concurrency === null ? "no limit of its own" : `at most ${formatNumber(concurrency)} at a time`],
    ["queue", maxQueued === null ? "no limit" : `at most ${formatNumber(maxQueued)} queued; more are rejected`],
    ["deployments", `open runs ${versions === "pin" ? "stay on their builds" : "continue on the latest build"}`],
  ];
}

function workflowLimits({
  retries,
  timeoutMs,
}: Pick<TargetDetails, "retries" | "timeoutMs">): [name: string, text: string][] {
  return [
    ["retries", describeRetries(retries)],
    ["timeout", `${formatInterval(timeoutMs)} per attempt`],
  ];
}

function agentLimits(
  { maxSteps, maxToolCalls, tools, budget, callTimeoutMs }: NonNullable<TargetDetails["agent"]>,
  timeoutMs: number,
): [name: string, text: string][] {
  return [
    ["budget", describeBudget(budget)],
    ["steps", `at most ${formatNumber(maxSteps)} ${maxSteps === 1 ? "model call" : "model calls"}`],
    ...(tools.length === 0
      ? []
      : [
          [
            "tool calls",
            `at most ${formatNumber(maxToolCalls.perAnswer)} per model response, ${formatNumber(maxToolCalls.perRun)} per run`,
          ] as [string, string],
        ]),
    ["timeout", `${formatInterval(timeoutMs)} per run, ${formatInterval(callTimeoutMs)} per model call`],
  ];
}

/** `at most 50,000 tokens and $0.25 per run`. */
function describeBudget({ tokens, usd }: NonNullable<TargetDetails["agent"]>["budget"]): string {
  const limits = [
    tokens === null ? null : `${formatNumber(tokens)} ${tokens === 1 ? "token" : "tokens"}`,
    usd === null ? null : formatUsd(usd),
  ].filter((limit) => limit !== null);
  return limits.length === 0 ? "no limit" : `at most ${limits.join(" and ")} per run`;
}

/** The retry policy of a target: `3 attempts, backoff from 1 s, doubling up to 1 h`. */
export function describeRetries({ attempts, backoff, initialMs, maxMs }: RetryPolicy): string {
  if (attempts === 1) return "1 attempt, no retries";
  if (backoff === "fixed" || initialMs === maxMs || initialMs === 0)
    return `${attempts} attempts, ${initialMs === 0 ? "without delay" : `${formatInterval(initialMs)} apart`}`;
  return `${attempts} attempts, backoff from ${formatInterval(initialMs)}, doubling up to ${formatInterval(maxMs)}`;
}

interface DurationBar {
  id: string;
  status: RunSummary["status"];
  ms: number;
  /** Share of the strip's height, 0–1. Square root scale, so that one long run does not flatten the others. */
  height: number;
}

/** Bars for ended runs, oldest first. */
export function durationBars(
  runs: readonly Pick<RunSummary, "id" | "status" | "startedAt" | "finishedAt">[],
): DurationBar[] {
  const ended = runs.flatMap(({ id, status, startedAt, finishedAt }) =>
    startedAt && finishedAt ? [{ id, status, ms: Math.max(0, Date.parse(finishedAt) - Date.parse(startedAt)) }] : [],
  );
  const longest = Math.max(1, ...ended.map(({ ms }) => ms));
  return ended.map((run) => ({ ...run, height: Math.max(0.06, Math.sqrt(run.ms / longest)) })).toReversed();
}
