import { expect, it } from "vitest";
import { activeFilters, withoutFilter } from "./active-filters.ts";
import { noFilters } from "./delivery-filters.ts";

it("every filter in force is named in words", () => {
  const filters = {
    endpoint: "billing",
    outcome: "skipped",
    status: 200,
    trigger: "paid",
    verdict: "filter_mismatch",
    since: "2026-11-21T10:00:00.000Z",
    until: "2026-11-21T10:02:30.000Z",
    text: 'a"b',
  } as const;
  expect(activeFilters(filters).map(({ words }) => words)).toEqual([
    "endpoint billing",
    "skipped",
    "status 200",
    "trigger paid",
    "filter mismatch",
    "since 2026-11-21 10:00 UTC",
    "before 2026-11-21 10:02:30.000 UTC",
    'contains “a"b”',
  ]);
});

it("what filters nothing is not named", () => {
  expect(activeFilters({ ...noFilters, verdict: "matched", text: "" })).toEqual([]);
});

it("a verdict goes with its trigger", () => {
  expect(withoutFilter("trigger")).toEqual({ trigger: null, verdict: null });
  expect(withoutFilter("text")).toEqual({ text: null });
});
