import { describe, expect, test } from "vitest";
import { createThrottledLog } from "./logger.ts";

describe("a throttled log", () => {
  test("writes the first line immediately, then one every five seconds with the number of suppressed lines", () => {
    const lines: [string, unknown][] = [];
    let now = 0;
    const log = createThrottledLog(
      (message, fields) => lines.push([message, fields]),
      () => now,
    );
    for (; now < 11_000; now += 10) log("no disk", { at: now });
    expect(lines).toEqual([
      ["no disk", { at: 0 }],
      ["no disk", { at: 5_000, suppressed: 499 }],
      ["no disk", { at: 10_000, suppressed: 499 }],
    ]);
  });
});
