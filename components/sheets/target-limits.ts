import type { TargetDetails } from "./answers.ts";
import { describeRetries } from "./say-retries.ts";
import { formatInterval, formatNumber, formatUsd } from "../../server/domain/format.ts";

/** The limits of a target's runs, as pairs of name and text. */
export function targetLimits({
  retries,
  timeoutMs,
  concurrency,
  maxQueued,
  agent,
}: Pick<TargetDetails, "retries" | "timeoutMs" | "concurrency" | "maxQueued" | "agent">): [
  name: string,
  text: string,
][] {
  return [
    ...(agent ? agentLimits(agent, timeoutMs) : workflowLimits({ retries, timeoutMs })),
    ["concurrency", concurrency === null ? "no limit of its own" : `at most ${formatNumber(concurrency)} at a time`],
    ["queue", maxQueued === null ? "no limit" : `at most ${formatNumber(maxQueued)} queued; more are rejected`],
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
