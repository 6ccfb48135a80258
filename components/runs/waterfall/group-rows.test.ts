import { describe, expect, it } from "vitest";
import type { LogLevel } from "../../../server/contract/timeline.ts";
import { groupRows } from "./group-rows.ts";
import { timelineOf } from "../../../server/domain/runs/testing/timeline.ts";
import { toWaterfall } from "./waterfall.ts";

const none: ReadonlySet<string> = new Set();
const logs = (count: number, level: LogLevel = "info") =>
  Array.from({ length: count }, (_, index): ["log", LogLevel, string] => ["log", level, `line ${index}`]);
const rowsOf = (lines: ["log", LogLevel, string][]) =>
  toWaterfall(
    timelineOf(
      [0, "queued"],
      [1, "attempt_started"],
      ...lines.map(([kind, level, message], index): [number, "log", object] => [index + 2, kind, { level, message }]),
    ),
    { isExecuting: true },
  );
const labels = (shown: ReturnType<typeof groupRows>) => shown.map(({ label }) => label);

describe("the visible rows", () => {
  it("are all rows if there are few", () => {
    expect(groupRows(rowsOf(logs(12)), { logs: "all", opened: none })).toHaveLength(14);
  });

  it("group many log lines, with their highest level", () => {
    const shown = groupRows(rowsOf([...logs(200), ...logs(1, "warn"), ...logs(11, "debug")]), {
      logs: "all",
      opened: none,
    });
    expect(labels(shown)).toEqual(["Queued", "Attempt 1", "212 log lines"]);
    expect(shown.at(-1)).toMatchObject({ kind: "group", level: "warn", isOpen: false });
  });

  it("include the rows of an open group, also after it has grown", () => {
    const opened = new Set(groupRows(rowsOf(logs(20)), { logs: "all", opened: none }).map(({ key }) => key));
    const shown = groupRows(rowsOf(logs(21)), { logs: "all", opened });
    expect(labels(shown).slice(2, 5)).toEqual(["21 log lines", "line 0", "line 1"]);
    expect(shown).toHaveLength(24);
  });

  it.each([
    ["warn", ["Queued", "Attempt 1", "bad", "worse"]],
    ["none", ["Queued", "Attempt 1"]],
  ] as const)("leave out log lines as asked: %s", (filter, expected) => {
    const rows = rowsOf([...logs(30), ["log", "warn", "bad"], ["log", "error", "worse"], ["log", "debug", "fine"]]);
    expect(labels(groupRows(rows, { logs: filter, opened: none }))).toEqual(expected);
  });

  it("group many reused steps", () => {
    const kept = Array.from({ length: 5 }, (_, index): [number, "step_reused", object] => [
      2,
      "step_reused",
      { name: `s${index}` },
    ]);
    expect(
      labels(
        groupRows(toWaterfall(timelineOf([1, "attempt_started"], ...kept), { isExecuting: true }), {
          logs: "all",
          opened: none,
        }),
      ),
    ).toEqual(["Attempt 1", "5 steps reused"]);
  });
});
