import { describe, expect, it } from "vitest";
import { timelineOf } from "../../../server/domain/runs/testing/timeline.ts";
import { filterLogs, printLogs } from "./run-logs.ts";

const logs = timelineOf(
  [1, "log", { level: "debug", message: "Cache is cold" }],
  [2, "log", { level: "info", message: "Loaded", data: { orderId: "A-17" } }],
  [3, "log", { level: "warn", message: "Slow answer" }],
  [4, "log", { level: "error", message: "Gave up" }],
);
const idsOf = (filter: Parameters<typeof filterLogs>[1]) => filterLogs(logs, filter).map(({ id }) => id);

describe("the logs of a run", () => {
  it("are those of a level and above", () => {
    expect(idsOf({ level: "debug", text: "" })).toEqual([1, 2, 3, 4]);
    expect(idsOf({ level: "warn", text: "" })).toEqual([3, 4]);
  });

  it("are found by their message and their data, in either case", () => {
    expect(idsOf({ level: "debug", text: "SLOW" })).toEqual([3]);
    expect(idsOf({ level: "debug", text: "a-17" })).toEqual([2]);
    expect(idsOf({ level: "warn", text: "a-17" })).toEqual([]);
  });

  it("are copied with their time, level and data, one line each", () => {
    expect(printLogs(logs.slice(1, 3))).toBe(
      '2026-11-21T14:00:00.002Z INFO Loaded {"orderId":"A-17"}\n2026-11-21T14:00:00.003Z WARN Slow answer\n',
    );
  });
});
