import { describe, expect, it } from "vitest";
import type { Json } from "../../server/contract/json.ts";
import { errorsOfRun } from "./run-errors.ts";
import { timelineOf } from "./testing/timeline.ts";

const error = (message: string) => ({ name: "HttpError", message, stack: null });
const source = {
  file: "workflows/a.ts",
  line: 2,
  column: 5,
  lines: [
    { number: 1, text: "a" },
    { number: 2, text: "    b" },
  ],
};
const run = { error: null, attempt: 1, createdAt: "2026-11-21T14:00:00.000Z", finishedAt: null };

describe("the errors of a run", () => {
  it("are one for each attempt, with its source line", () => {
    const entries = timelineOf(
      [1, "attempt_failed", { attempt: 1, error: error("first"), data: { source } }],
      [2, "attempt_failed", { attempt: 2, error: error("second") }],
      [2, "failed", { attempt: 2, error: error("second") }],
    );
    expect(
      errorsOfRun({ ...run, attempt: 2, error: error("second") }, entries).map(({ attempt, error, source }) => [
        attempt,
        error.message,
        source?.line,
      ]),
    ).toEqual([
      [1, "first", 2],
      [2, "second", undefined],
    ]);
  });

  it("name the step that threw, and use its source line if the attempt has none", () => {
    const entries = timelineOf(
      [1, "step_failed", { name: "post", error: error("503"), data: { source } }],
      [2, "attempt_failed", { error: error("503") }],
    );
    expect(errorsOfRun(run, entries)[0]).toMatchObject({ step: "post", source });
  });

  it("leave out a step's error that the code caught", () => {
    expect(
      errorsOfRun(run, timelineOf([1, "step_failed", { name: "post", error: error("503") }], [2, "completed"])),
    ).toEqual([]);
  });

  it("have the validation issues", () => {
    const errors = [{ pointer: "/amount", code: "too_small", message: "Too small" }];
    expect(
      errorsOfRun(run, timelineOf([1, "attempt_failed", { error: error("x"), data: { errors } }]))[0]?.issues,
    ).toEqual(errors);
  });

  it("are the error of the run before its timeline is loaded", () => {
    expect(errorsOfRun({ ...run, attempt: 3, error: error("503") }, [])).toMatchObject([
      { attempt: 3, error: { message: "503" } },
    ]);
  });

  it("ignore invalid data for the source line", () => {
    const odd: Json[] = [
      null,
      "x",
      { source: 1 },
      { source: { file: "a" } },
      { errors: {} },
      { errors: [1, { pointer: 2 }] },
    ];
    for (const data of odd) {
      expect(errorsOfRun(run, timelineOf([1, "attempt_failed", { error: error("x"), data }]))[0]).toMatchObject({
        source: null,
        issues: [],
      });
    }
  });
});
