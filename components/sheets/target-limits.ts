import type { TargetDetails } from "./answers.ts";
import { sayPause, sayRetries } from "./say-retries.ts";
import { formatNumber, formatUsd } from "../../server/domain/format.ts";

/** What bounds a target's runs, as facts: name and words. */
export function targetLimits({
  retries,
  timeoutMs,
  concurrency,
  maxQueued,
  agent,
}: Pick<TargetDetails, "retries" | "timeoutMs" | "concurrency" | "maxQueued" | "agent">): [
  name: string,
  words: string,
][] {
  return [
    ...(agent ? agentLimits(agent, timeoutMs) : workflowLimits({ retries, timeoutMs })),
    ["concurrency", concurrency === null ? "no limit of its own" : `at most ${formatNumber(concurrency)} at a time`],
    [
      "queue",
      maxQueued === null ? "no limit" : `at most ${formatNumber(maxQueued)} queued; what comes then is refused`,
    ],
  ];
}

function workflowLimits({
  retries,
  timeoutMs,
}: Pick<TargetDetails, "retries" | "timeoutMs">): [name: string, words: string][] {
  return [
    ["retries", sayRetries(retries)],
    ["timeout", `${sayPause(timeoutMs)} for each attempt`],
  ];
}

function agentLimits(
  { maxSteps, maxToolCalls, tools, budget, callTimeoutMs }: NonNullable<TargetDetails["agent"]>,
  timeoutMs: number,
): [name: string, words: string][] {
  return [
    ["budget", sayBudget(budget)],
    ["steps", `at most ${formatNumber(maxSteps)} ${maxSteps === 1 ? "call" : "calls"} of the model`],
    ...(tools.length === 0
      ? []
      : [
          [
            "tool calls",
            `at most ${formatNumber(maxToolCalls.perAnswer)} in an answer, ${formatNumber(maxToolCalls.perRun)} in a run`,
          ] as [string, string],
        ]),
    ["timeout", `${sayPause(timeoutMs)} for a run, ${sayPause(callTimeoutMs)} for a call of the model`],
  ];
}

/** `at most 50 000 tokens and $0.25 for a run`. */
function sayBudget({ tokens, usd }: NonNullable<TargetDetails["agent"]>["budget"]): string {
  const bounds = [
    tokens === null ? null : `${formatNumber(tokens)} ${tokens === 1 ? "token" : "tokens"}`,
    usd === null ? null : formatUsd(usd),
  ].filter((bound) => bound !== null);
  return bounds.length === 0 ? "no limit" : `at most ${bounds.join(" and ")} for a run`;
}
