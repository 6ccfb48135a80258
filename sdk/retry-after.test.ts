import { describe, expect, it } from "vitest";
import { readRetryAfter } from "./retry-after.ts";

const now = Date.UTC(2026, 0, 1);

describe("readRetryAfter", () => {
  it.each([
    ["seconds", 30, now + 30_000],
    ["a fraction of a second", 0.25, now + 250],
    ["seconds as a header has them", "120", now + 120_000],
    ["seconds with spaces", " 1.5 ", now + 1500],
    ["a duration", "2m", now + 120_000],
    ["a Date", new Date(now + 5000), now + 5000],
    ["a date as a header has it", "Thu, 01 Jan 2026 00:01:00 GMT", now + 60_000],
    ["a date in an obsolete form", "Thursday, 01-Jan-26 00:01:00 GMT", now + 60_000],
    ["an ISO 8601 date", "2026-01-01T00:01:00.000Z", now + 60_000],
    ["a date in the past", new Date(now - 5000), now],
  ])("accepts %s", (_, value, at) => {
    expect(readRetryAfter(value, now)).toBe(at);
  });

  it.each([
    ["nothing", null],
    ["a missing header", undefined],
    ["an empty header", ""],
    ["a negative number", -1],
    ["no number", Number.NaN],
    ["infinity", Infinity],
    ["an invalid Date", new Date("soon")],
    ["words", "soon"],
    ["words that V8 reads as a date", "try 5"],
    ["an object", { seconds: 5 }],
  ])("returns null for %s", (_, value) => {
    expect(readRetryAfter(value, now)).toBeNull();
  });
});
