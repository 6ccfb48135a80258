import { expect, it } from "vitest";
import { summarizeRuns } from "./summarize-runs.ts";

const run = (status: Parameters<typeof summarizeRuns>[0][number]["status"], ms?: number) => ({
  status,
  startedAt: ms === undefined ? null : 100,
  finishedAt: ms === undefined ? null : 100 + ms,
});

it("counts every status in one group, except canceled", () => {
  const runs = [
    run("queued"),
    run("running"),
    run("waiting"),
    run("completed", 5),
    run("failed", 9),
    run("timed_out", 9),
    run("canceled"),
  ];
  expect(summarizeRuns(runs, 10)).toEqual({ runs: 7, isCapped: false, completed: 1, failed: 2, open: 3, p50Ms: 5 });
});

it.each([
  [[], null],
  [[7], 7],
  [[30, 10, 20], 20],
  [[30, 10, 20, 40], 20],
])("the median of %j is %j", (durations, median) => {
  expect(
    summarizeRuns(
      durations.map((ms) => run("completed", ms)),
      10,
    ).p50Ms,
  ).toBe(median);
});

it("omits runs beyond the limit, and reports that there are more", () => {
  expect(summarizeRuns([run("completed", 1), run("failed", 1), run("failed", 1)], 2)).toMatchObject({
    runs: 2,
    isCapped: true,
    completed: 1,
    failed: 1,
  });
});
