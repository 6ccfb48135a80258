import * as fc from "fast-check";
import { createLoader } from "nuqs/server";
import { describe, expect, it } from "vitest";
import {
  exportHref,
  activeFilters,
  histogramInput,
  isOfAgents,
  localInputOf,
  momentOfInput,
  runFilterParsers,
  type RunFilterState,
  toRunFilter,
} from "./run-filters.ts";

describe("an exact time in the reader's time zone", () => {
  it("keeps every time, to the second", () => {
    fc.assert(
      fc.property(
        fc.date({ min: new Date("2000-01-01"), max: new Date("2100-01-01"), noInvalidDate: true }),
        (date) => {
          const moment = `${date.toISOString().slice(0, 19)}.000Z`;
          expect(momentOfInput(localInputOf(moment))).toBe(moment);
        },
      ),
    );
  });

  it("is empty for an invalid time", () => {
    expect([localInputOf(null), localInputOf("soon"), momentOfInput("")]).toEqual(["", "", null]);
  });
});

const none = createLoader(runFilterParsers)({}) satisfies RunFilterState;
const now = Date.parse("2026-11-21T14:02:30.500Z");

describe("the filters of the list of runs", () => {
  it("include unresolved failures", () => {
    expect(toRunFilter({ ...none, unresolved: true }, now)).toEqual({ unresolved: true });
    expect(toRunFilter({ ...none, unresolved: false }, now)).toEqual({});
    expect(activeFilters({ ...none, unresolved: true })).toEqual([{ name: "unresolved", label: "unresolved" }]);
  });

  it("are empty for an empty URL", () => {
    expect(toRunFilter(none, now)).toEqual({});
    expect(activeFilters(none)).toEqual([]);
  });

  it("convert presets to times, which stay the same for a minute", () => {
    expect(toRunFilter({ ...none, since: "1h" }, now)).toEqual({ since: "2026-11-21T13:02:00.000Z" });
    expect(toRunFilter({ ...none, since: "1h" }, now + 29_000)).toEqual(toRunFilter({ ...none, since: "1h" }, now));
  });

  it.each(["2026-11-20", "2026-11-20T10:00:00+01:00", "soon", "toString", "2026/11/20", "9999999999"])(
    "send the time %j as it is in the URL, so that the server accepts or rejects it",
    (time) => {
      const state = { ...none, since: time, until: time };
      expect(toRunFilter(state, now)).toEqual({ since: time, until: time });
      expect(activeFilters(state)).toHaveLength(2);
      expect(() => histogramInput(state, now)).not.toThrow();
    },
  );

  it("show a time in their chip as the server reads it, and any other text in quotes", () => {
    const labels = activeFilters({ ...none, since: "2026-11-20T10:00:00+01:00", until: "soon" });
    expect(labels.map(({ label }) => label)).toEqual(["since 2026-11-20 09:00 UTC", "before “soon”"]);
  });

  it("have a chip each", () => {
    const state: RunFilterState = {
      ...none,
      status: "timed_out",
      text: "<b>",
      since: "24h",
      until: "2026-11-21T10:00:00Z",
      version: "a7a3524ed8b7",
    };
    expect(activeFilters(state).map(({ label }) => label)).toEqual([
      "timed out",
      "version a7a3524e",
      "last 24 hours",
      "before 2026-11-21 10:00 UTC",
      "contains “<b>”",
    ]);
  });

  it("accept amounts for agents, and send invalid ones, which the server rejects", () => {
    const state: RunFilterState = { ...none, minTokens: 50_000, minCostUsd: 0, needsApproval: true };
    expect(toRunFilter(state, now)).toEqual({ minTokens: 50_000, minCostUsd: 0, needsApproval: true });
    expect(activeFilters(state).map(({ label }) => label)).toEqual([
      "50 k tokens or more",
      "$0.00 or more",
      "waits for approval",
    ]);
    expect(toRunFilter({ ...none, minTokens: -1, needsApproval: false }, now)).toEqual({ minTokens: -1 });
    expect([
      isOfAgents({ minCostUsd: 0 }),
      isOfAgents({ needsApproval: true }),
      isOfAgents({ status: "failed" }),
    ]).toEqual([true, true, false]);
    expect(exportHref({ minCostUsd: 0.5, needsApproval: true }, "jsonl")).toBe(
      "/api/v1/runs/export?format=jsonl&minCostUsd=0.5&needsApproval=true",
    );
  });

  it("are the same for an export", () => {
    expect(exportHref({ status: "failed", text: "a&b=c" }, "csv")).toBe(
      "/api/v1/runs/export?format=csv&status=failed&text=a%26b%3Dc",
    );
  });
});
