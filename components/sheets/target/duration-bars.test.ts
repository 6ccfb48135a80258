import { expect, it } from "vitest";
import type { RunSummary } from "../../../server/contract/run.ts";
import { durationBars } from "./duration-bars.ts";

function run(id: string, ms: number | null): Pick<RunSummary, "id" | "status" | "startedAt" | "finishedAt"> {
  const start = Date.parse("2026-01-31T12:00:00Z");
  return {
    id,
    status: ms === null ? "running" : "completed",
    startedAt: new Date(start).toISOString(),
    finishedAt: ms === null ? null : new Date(start + ms).toISOString(),
  };
}

it("bars are ordered by time, and a long run does not flatten the others", () => {
  const bars = durationBars([run("open", null), run("new", 10), run("long", 10_000), run("old", 100)]);
  expect(bars.map(({ id, height }) => [id, Number(height.toFixed(2))])).toEqual([
    ["old", 0.1],
    ["long", 1],
    ["new", 0.06],
  ]);
});
