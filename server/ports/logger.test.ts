import { describe, expect, test } from "vitest";
import { createThrottledLog } from "./logger.ts";

describe("a seldom log", () => {
  test("says what happens at once, and then every five seconds with how many were left out", () => {
    const lines: [string, unknown][] = [];
    let now = 0;
    const log = createThrottledLog(
      (message, fields) => lines.push([message, fields]),
      () => now,
    );
    for (; now < 11_000; now += 10) log("no disk", { at: now });
    expect(lines).toEqual([
      ["no disk", { at: 0 }],
      ["no disk", { at: 5_000, leftOut: 499 }],
      ["no disk", { at: 10_000, leftOut: 499 }],
    ]);
  });
});
