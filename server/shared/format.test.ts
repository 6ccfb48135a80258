import { describe, expect, it } from "vitest";
import {
  formatAxisTime,
  formatBytes,
  formatCount,
  formatDuration,
  formatInterval,
  formatLocal,
  formatLocalTime,
  formatNumber,
  formatRelativeTime,
  formatShare,
  formatUsd,
  formatUtc,
  formatUtcMinute,
  formatUtcTime,
} from "./format.ts";

const now = Date.parse("2026-11-21T12:00:00.000Z");
const ago = (ms: number) => new Date(now - ms).toISOString();

describe("relative time", () => {
  it.each([
    [0, "now"],
    [999, "now"],
    [1_000, "1 s ago"],
    [59_999, "59 s ago"],
    [60_000, "1 min ago"],
    [3_599_999, "59 min ago"],
    [3_600_000, "1 h ago"],
    [86_399_999, "23 h ago"],
    [86_400_000, "1 d ago"],
    [30 * 86_400_000, "30 d ago"],
    [31 * 86_400_000, "2026-10-21"],
    [-5_000, "in 5 s"],
    [-90_000, "in 1 min"],
  ])("%i ms ago reads %s", (ms, phrase) => {
    expect(formatRelativeTime(ago(ms), now)).toBe(phrase);
  });

  it("shows an invalid time unchanged", () => {
    expect(formatRelativeTime("soon", now)).toBe("soon");
  });
});

describe("exact time", () => {
  it("is given in UTC with milliseconds", () => {
    expect(formatUtc("2026-11-21T14:02:11.348Z")).toBe("2026-11-21 14:02:11.348 UTC");
  });

  it("is given in the reader's zone, with the zone named", () => {
    expect(formatLocal("2026-11-21T23:02:11.348Z", "Asia/Tokyo")).toBe("2026-11-22 08:02:11.348 GMT+9");
  });

  it("is given to the minute", () => {
    expect(formatUtcMinute(Date.parse("2026-11-21T14:02:59.999Z"))).toBe("2026-11-21 14:02 UTC");
  });
});

describe("time of day", () => {
  const at = "2026-11-21T23:02:07.048Z";

  it("is given in UTC with milliseconds", () => {
    expect(formatUtcTime(Date.parse(at))).toBe("23:02:07.048");
  });

  it("is given in the zone of the machine with seconds", () => {
    expect(formatLocalTime(Date.parse(at), "Asia/Tokyo")).toBe("08:02:07");
    expect(formatLocalTime(Date.parse("2026-11-21T15:00:00Z"), "Asia/Tokyo")).toBe("00:00:00");
    const here = new Date(at);
    const parts = [here.getHours(), here.getMinutes(), here.getSeconds()];
    expect(formatLocalTime(here.getTime())).toBe(parts.map((part) => String(part).padStart(2, "0")).join(":"));
  });

  it("labels a time axis, with the date if the axis spans days", () => {
    expect(formatAxisTime(at, { spansDays: false, timeZone: "UTC" })).toBe("23:02");
    expect(formatAxisTime(at, { spansDays: true, timeZone: "UTC" })).toBe("21 Nov, 23:02");
    expect(formatAxisTime(at, { spansDays: true, timeZone: "Asia/Tokyo" })).toBe("22 Nov, 08:02");
  });
});

describe("durations", () => {
  it.each([
    [-1, "0 ms"],
    [0, "0 ms"],
    [0.42, "0.4 ms"],
    [1.9, "1.9 ms"],
    [420, "420 ms"],
    [999.6, "1.00 s"],
    [7_420, "7.42 s"],
    [9_996, "10.0 s"],
    [59_960, "1 min"],
    [200_000, "3 min 20 s"],
    [3_599_600, "1 h"],
    [7_500_000, "2 h 5 min"],
    [86_400_000, "1 d"],
    [100_800_000, "1 d 4 h"],
  ])("%d ms reads %s", (ms, phrase) => {
    expect(formatDuration(ms)).toBe(phrase);
  });

  it.each([
    [500, "500 ms"],
    [1_000, "1 s"],
    [7_500, "7.5 s"],
    [7_420, "7.42 s"],
    [90_000, "1 min 30 s"],
  ])("a configured %d ms reads %s", (ms, phrase) => {
    expect(formatInterval(ms)).toBe(phrase);
  });

  it("never shows a unit that is full", () => {
    for (let ms = 1; ms < 4 * 86_400_000; ms = Math.ceil(ms * 1.003)) {
      expect(formatDuration(ms)).not.toMatch(/^1000 ms$|^60(\.0+)? s$| 60 (s|min)$|^60 min$|24 h$/);
    }
  });
});

it.each([
  [0, "0 B"],
  [312, "312 B"],
  [7_700, "7.7 kB"],
  [999_949, "999.9 kB"],
  [999_950, "1.0 MB"],
  [1_200_000, "1.2 MB"],
  [3_100_000_000, "3.1 GB"],
])("%i bytes read %s", (bytes, words) => {
  expect(formatBytes(bytes)).toBe(words);
});

it.each([
  [0, "0"],
  [1_204, "1,204"],
  [1_234_567.25, "1,234,567.25"],
])("the number %d reads %s", (value, text) => {
  expect(formatNumber(value)).toBe(text);
});

it("a count has its noun, in the plural unless it is one", () => {
  expect([formatCount(1, "run"), formatCount(1204, "run")]).toEqual(["1 run", "1,204 runs"]);
  const deliveries = [0, 1, 1204].map((count) => formatCount(count, "delivery", "deliveries"));
  expect(deliveries).toEqual(["0 deliveries", "1 delivery", "1,204 deliveries"]);
});

it.each([
  [0, 0, "–"],
  [0, 10, "0 %"],
  [10, 10, "100 %"],
  [9_999, 10_000, "99.9 %"],
  [1, 10_000, "0.1 %"],
  [1, 2, "50 %"],
  [1, 3, "33 %"],
])("%d of %d reads %s", (part, whole, text) => {
  expect(formatShare(part, whole)).toBe(text);
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
