import { describe, expect, it } from "vitest";
import type { RunSummary } from "../../server/contract/run.ts";
import { durationBars } from "./duration-bars.ts";
import { findFault } from "./find-fault.ts";
import { nearNames } from "./near-names.ts";
import { describeDedupe } from "./say-dedupe.ts";
import { partsOf } from "./prompt-template.tsx";
import { describeRetries } from "./say-retries.ts";
import { targetLimits } from "./target-limits.ts";
import { formatCount, formatShare, formatUsd } from "../../server/domain/format.ts";

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

it("deduplication is described with its event id and its window", () => {
  expect(describeDedupe({ header: "x-github-delivery", field: null, windowMs: 86_400_000 })).toBe(
    "by the header x-github-delivery, for 1 d",
  );
  expect(describeDedupe({ header: null, field: "/event/id", windowMs: 90_000 })).toBe(
    "by /event/id in the body, for 1 min 30 s",
  );
  expect(describeDedupe({ header: null, field: null, windowMs: 3_600_000 })).toBe(
    "by the standard headers or the signed content, for 1 h",
  );
});

it("an amount in dollars is never rounded to zero", () => {
  expect([0, 4.1, 1204.5, 0.25, 0.025, 0.0031, 0.000_000_4].map(formatUsd)).toEqual([
    "$0.00",
    "$4.10",
    "$1,204.50",
    "$0.25",
    "$0.025",
    "$0.0031",
    "$0.0000004",
  ]);
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
    agent,
  } as const;
  expect(targetLimits(limits)).toEqual([
    ["budget", "at most 50,000 tokens and $0.25 per run"],
    ["steps", "at most 1 model call"],
    ["timeout", "1 h per run, 5 min per model call"],
    ["concurrency", "no limit of its own"],
    ["queue", "at most 10 queued; more are rejected"],
  ]);
  expect(targetLimits({ ...limits, agent: null }).map(([name]) => name)).toEqual([
    "retries",
    "timeout",
    "concurrency",
    "queue",
  ]);
});

it("the placeholders of a template are marked, escaped braces are not", () => {
  expect(partsOf("From {{ customer.email }}: \\{{ not }} {{a}}")).toEqual([
    { text: "From ", isPlaceholder: false },
    { text: "{{ customer.email }}", isPlaceholder: true },
    { text: ": {{ not }} ", isPlaceholder: false },
    { text: "{{a}}", isPlaceholder: true },
  ]);
});

it("a share is never rounded to 0 % or 100 %", () => {
  expect([
    formatShare(0, 0),
    formatShare(3, 3),
    formatShare(0, 3),
    formatShare(9_999, 10_000),
    formatShare(1, 10_000),
    formatShare(1, 3),
  ]).toEqual(["–", "100 %", "0 %", "99.9 %", "0.1 %", "33 %"]);
});

it("counts have a thousands separator", () => {
  expect([formatCount(1, "delivery", "deliveries"), formatCount(1204, "delivery", "deliveries")]).toEqual([
    "1 delivery",
    "1,204 deliveries",
  ]);
});

describe("near names", () => {
  const known = ["invoice-paid", "invoice-failed", "new-signup", "ci-failed", "invoice-paid"];

  it("the nearest name comes first, without duplicates", () =>
    expect(nearNames("invoice-pad", known)).toEqual(["invoice-paid", "invoice-failed"]));

  it("a name that shares a word is near", () => expect(nearNames("signup", known)).toEqual(["new-signup"]));

  it("distant names are not suggested", () => expect(nearNames("zebra", known)).toEqual([]));
});

describe("the position in an error message", () => {
  it("is found by line and column, with every kind of line ending", () => {
    const text = '{\r\n  "a": 1,\n\r  "b" 2\n}';
    expect(text.slice(findFault(text, "Line 4, column 7: expected a colon.") ?? 0)).toBe("2\n}");
  });

  it("counts characters, not UTF-16 code units", () =>
    expect(findFault('"🚦" x', "Line 1, column 5: there is more")).toBe(5));

  it("is null when the message names none, or one outside the text", () => {
    expect(findFault("{}", "The body is empty. Send JSON.")).toBeNull();
    expect(findFault("{}", "Line 9, column 1: x")).toBeNull();
  });
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
