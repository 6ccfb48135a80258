import { expect, it } from "vitest";
import { manifestWorkflowSchema } from "../contract/project/manifest.ts";
import { workflowOptionsSchema } from "../contract/project/options.ts";
import { describeLimits } from "./describe-limits.ts";

const limits = manifestWorkflowSchema.parse({
  slug: "ship",
  file: "workflows/ship.ts",
  module: "workflows/ship.js",
  input: {},
  output: null,
  retries: { attempts: 1, backoff: "fixed", initialMs: 0, maxMs: 0 },
  timeoutMs: 3_600_000,
  maxQueued: 10,
});

it.each([
  [
    { attempts: 3, backoff: "exponential", initialMs: 1_000, maxMs: 3_600_000 },
    "3 attempts, backoff from 1 s, doubling up to 1 h",
  ],
  [{ attempts: 5, backoff: "fixed", initialMs: 30_000, maxMs: 30_000 }, "5 attempts, 30 s apart"],
  [{ attempts: 2, backoff: "fixed", initialMs: 0, maxMs: 0 }, "2 attempts, without delay"],
  [{ attempts: 1, backoff: "exponential", initialMs: 1_000, maxMs: 60_000 }, "1 attempt, no retries"],
] as const)("retries in words: %j", (retries, words) =>
  expect(describeLimits({ ...limits, retries }, null)[0]).toEqual(["retries", words]),
);

it("an agent's limits cover its runs and its model calls", () => {
  const agent = {
    tools: [],
    maxSteps: 1,
    maxToolCalls: { perAnswer: 20, perRun: 100 },
    budget: { tokens: 50_000, usd: 0.25 },
    callTimeoutMs: 300_000,
  };
  expect(describeLimits(limits, agent)).toEqual([
    ["budget", "at most 50,000 tokens and $0.25 per run"],
    ["steps", "at most 1 model call"],
    ["timeout", "1 h per run, 5 min per model call"],
    ["concurrency", "no limit of its own"],
    ["queue", "at most 10 queued; more are rejected"],
    ["deployments", "open runs stay on their builds"],
  ]);
  expect(describeLimits(limits, null).map(([name]) => name)).toEqual([
    "retries",
    "timeout",
    "concurrency",
    "queue",
    "deployments",
  ]);
});

it.each([
  [4, "at most 4 at a time", undefined],
  [{ limit: 4, whileWaiting: "hold" }, "at most 4 at a time; waiting runs count", undefined],
  [{ perKey: 1 }, "at most 1 with the same key; waiting runs count", undefined],
  [
    { limit: 1_000, perKey: 1, whileWaiting: "release", onFailure: "block" },
    "at most 1,000 at a time, 1 with the same key; waiting runs do not count",
    "its key waits until the run is resumed, replayed or canceled",
  ],
])("concurrency in words: %j", (given, words, afterFailure) => {
  const { concurrency } = workflowOptionsSchema.parse({ concurrency: given });
  const texts = new Map(describeLimits({ ...limits, concurrency }, null));
  expect([texts.get("concurrency"), texts.get("after a failure")]).toEqual([words, afterFailure]);
});
