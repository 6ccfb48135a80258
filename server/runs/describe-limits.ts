import type { ManifestAgent, ManifestWorkflow } from "../contract/project/manifest.ts";
import type { Concurrency, RetryPolicy } from "../contract/project/options.ts";
import { formatInterval, formatNumber, formatUsd } from "../shared/format.ts";

type AgentLimits = Pick<ManifestAgent, "maxSteps" | "maxToolCalls" | "tools" | "budget" | "callTimeoutMs">;

/** The limits of a target's runs, as pairs of name and text. */
export function describeLimits(target: ManifestWorkflow, agent: AgentLimits | null): [name: string, text: string][] {
  const { concurrency, maxQueued, versions } = target;
  return [
    ...(agent ? agentLimits(agent, target.timeoutMs) : workflowLimits(target)),
    ...describeConcurrency(concurrency),
    ["queue", maxQueued === null ? "no limit" : `at most ${formatNumber(maxQueued)} queued; more are rejected`],
    ["deployments", `open runs ${versions === "pin" ? "stay on their builds" : "continue on the latest build"}`],
  ];
}

function describeConcurrency(concurrency: Concurrency | null): [name: string, text: string][] {
  if (concurrency === null) return [["concurrency", "no limit of its own"]];
  const { limit, perKey, whileWaiting, onFailure } = concurrency;
  const most = [
    ...(limit === null ? [] : [`${formatNumber(limit)} at a time`]),
    ...(perKey === null ? [] : [`${formatNumber(perKey)} with the same key`]),
  ].join(", ");
  const waiting = whileWaiting === "hold" ? "waiting runs count" : "waiting runs do not count";
  const text = perKey === null && whileWaiting === "release" ? `at most ${most}` : `at most ${most}; ${waiting}`;
  const blocks: [string, string][] =
    onFailure === "block" ? [["after a failure", "its key waits until the run is resumed, replayed or canceled"]] : [];
  return [["concurrency", text], ...blocks];
}

function workflowLimits({
  retries,
  timeoutMs,
}: Pick<ManifestWorkflow, "retries" | "timeoutMs">): [name: string, text: string][] {
  return [
    ["retries", describeRetries(retries)],
    ["timeout", `${formatInterval(timeoutMs)} per attempt`],
  ];
}

function agentLimits(
  { maxSteps, maxToolCalls, tools, budget, callTimeoutMs }: AgentLimits,
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
function describeBudget({ tokens, usd }: ManifestAgent["budget"]): string {
  const limits = [
    tokens === null ? null : `${formatNumber(tokens)} ${tokens === 1 ? "token" : "tokens"}`,
    usd === null ? null : formatUsd(usd),
  ].filter((limit) => limit !== null);
  return limits.length === 0 ? "no limit" : `at most ${limits.join(" and ")} per run`;
}

/** The retry policy of a target: `3 attempts, backoff from 1 s, doubling up to 1 h`. */
function describeRetries({ attempts, backoff, initialMs, maxMs }: RetryPolicy): string {
  if (attempts === 1) return "1 attempt, no retries";
  if (backoff === "fixed" || initialMs === maxMs || initialMs === 0)
    return `${attempts} attempts, ${initialMs === 0 ? "without delay" : `${formatInterval(initialMs)} apart`}`;
  return `${attempts} attempts, backoff from ${formatInterval(initialMs)}, doubling up to ${formatInterval(maxMs)}`;
}
