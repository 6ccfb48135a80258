import { describe, expect, it } from "vitest";
import { groupRows } from "./group-rows.ts";
import { durationOf, nameOf, timesOf } from "./row-words.ts";
import { isoAt, runStart, timelineOf } from "./testing/timeline.ts";
import { toWaterfall } from "./waterfall.ts";

const told = { from: runStart, now: runStart + 4_000 };
const rowsOf = (...entries: Parameters<typeof timelineOf>) =>
  toWaterfall(timelineOf(...entries), { isExecuting: true });

describe("the text of a row", () => {
  it("has the kind, the state, the start and the duration", () => {
    const [, attempt, step, log] = rowsOf(
      [0, "queued"],
      [2, "attempt_started"],
      [1_200, "step_started", { name: "post" }],
      [1_240, "step_failed", { name: "post", durationMs: 39.4 }],
      [1_241, "log", { level: "warn", message: "oh" }],
    );
    expect(attempt && nameOf(attempt, told)).toBe("Attempt 1, in progress, 14:00:00.002 · at 2 ms · 4.00 s so far");
    expect(step && nameOf(step, told)).toBe("step post, failed, 14:00:01.200 · at 1.20 s · took 39 ms");
    expect(log && nameOf(log, told)).toBe("log, warn: oh, 14:00:01.241 · at 1.24 s");
    expect(log && durationOf(log, told.now)).toBeNull();
  });

  it("has the scheduled end of a sleep", () => {
    const sleep = rowsOf(
      [0, "queued"],
      [1, "attempt_started"],
      [2, "sleep_started", { name: "nap", until: isoAt(60_000) }],
    ).at(-1);
    expect(sleep && nameOf(sleep, told)).toBe("sleep nap, waiting, 14:00:00.002 · at 2 ms · until 14:01:00.000");
  });

  it("has the start and end of a group", () => {
    const [group] = groupRows(
      rowsOf(...Array.from({ length: 20 }, (_, index): [number, "log"] => [index * 100, "log"])),
      { logs: "all", opened: new Set() },
    );
    expect(group && timesOf(group, told)).toBe("0 ms – 1.90 s");
    expect(group && nameOf(group, told)).toBe("20 log lines, 0 ms – 1.90 s");
  });
});
