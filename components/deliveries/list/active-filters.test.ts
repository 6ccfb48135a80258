import { expect, it } from "vitest";
import { activeFilters, withoutFilter } from "./active-filters.ts";
import { noFilters } from "./delivery-filters.ts";

it("every active filter has a label", () => {
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

it("an unset filter has no label", () => {
  expect(activeFilters({ ...noFilters, verdict: "matched", text: "" })).toEqual([]);
});

it("removing the trigger filter removes the verdict filter", () => {
  expect(withoutFilter("trigger")).toEqual({ trigger: null, verdict: null });
  expect(withoutFilter("text")).toEqual({ text: null });
});
