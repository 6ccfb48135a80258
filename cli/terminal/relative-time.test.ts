import { expect, it } from "vitest";
import { durationText, relativeTime } from "./relative-time.ts";

const now = Date.parse("2026-11-21T10:00:00Z");

it.each([
  ["2026-11-21T10:00:00.400Z", "now"],
  ["2026-11-21T09:59:48Z", "12 s ago"],
  ["2026-11-21T09:00:30Z", "59 min ago"],
  ["2026-11-20T10:00:00Z", "1 d ago"],
  ["2026-11-21T13:00:00Z", "in 3 h"],
])("%s is %s", (iso, text) => expect(relativeTime(iso, now)).toBe(text));

it.each([
  [8.4, "8 ms"],
  [1400, "1.4 s"],
  [59_970, "1 min 0 s"],
  [125_000, "2 min 5 s"],
  [12_000_000, "3 h 20 min"],
])("%d ms is %s", (ms, text) => expect(durationText(ms)).toBe(text));
