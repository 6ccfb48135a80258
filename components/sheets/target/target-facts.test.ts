import { describe, expect, it } from "vitest";
import type { RunSummary } from "../../../server/contract/run.ts";
import { describeRetries, durationBars, targetLimits } from "./target-facts.ts";

describe("retries in words", () => {
  it.each([
    [
      { attempts: 3, backoff: "exponential", initialMs: 1_000, maxMs: 3_600_000 },
      "3 attempts, backoff from 1 s, doubling up to 1 h",
    ],
    [{ attempts: 5, backoff: "fixed", initialMs: 30_000, maxMs: 30_000 }, "5 attempts, 30 s apart"],
    [{ attempts: 2, backoff: "fixed", initialMs: 0, maxMs: 0 }, "2 attempts, without delay"],
    [{ attempts: 1, backoff: "exponential", initialMs: 1_000, maxMs: 60_000 }, "1 attempt, no retries"],
  ] as const)("%j", (policy, words) => expect(describeRetries(policy)).toBe(words));
});

it("an agent's limits cover its runs and its model calls", () => {
  const agent = {
    model: { provider: "openai", modelId: "gpt-5" },
    instructions: "",
    tools: [],
    maxSteps: 1,
    maxToolCalls: { perAnswer: 20, perRun: 100 },
    budget: { tokens: 50_000, usd: 0.25 },
    callTimeoutMs: 300_000,
    price: null,
  };
  const limits = {
    retries: { attempts: 1, backoff: "fixed", initialMs: 0, maxMs: 0 },
    timeoutMs: 3_600_000,
    concurrency: null,
    maxQueued: 10,
    versions: "pin",
    agent,
  } as const;
  expect(targetLimits(limits)).toEqual([
    ["budget", "at most 50,000 tokens and $0.25 per run"],
    ["steps", "at most 1 model call"],
    ["timeout", "1 h per run, 5 min per model call"],
    ["concurrency", "no limit of its own"],
    ["queue", "at most 10 queued; more are rejected"],
    ["deployments", "open runs stay on their builds"],
  ]);
  expect(targetLimits({ ...limits, agent: null }).map(([name]) => name)).toEqual([
    "retries",
    "timeout",
    "concurrency",
    "queue",
    "deployments",
  ]);
});

function run(id: string, ms: number | null): Pick<RunSummary, "id" | "status" | "startedAt" | "finishedAt"> {
  const start = Date.parse("2026-01-31T12:00:00Z");
  return {
    id,
    status: ms === null ? "running" : "completed",
    startedAt: new Date(start).toISOString(),
    finishedAt: ms === null ? null : new Date(start + ms).toISOString(),
  };
}

it("bars are ordered by time, and a long run does not flatten the others", () => {
  const bars = durationBars([run("open", null), run("new", 10), run("long", 10_000), run("old", 100)]);
  expect(bars.map(({ id, height }) => [id, Number(height.toFixed(2))])).toEqual([
    ["old", 0.1],
    ["long", 1],
    ["new", 0.06],
  ]);
});
