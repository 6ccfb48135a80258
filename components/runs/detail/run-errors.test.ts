import { describe, expect, it } from "vitest";
import type { Json } from "../../../server/contract/json.ts";
import { timelineOf } from "../../../server/domain/runs/testing/timeline.ts";
import { errorsOfRun, foldStack } from "./run-errors.ts";

const frames = [
  "    at post (lib/http.ts:8:9)",
  "    at node:internal/process/task_queues:105:5",
  "    at call (node_modules/undici/index.js:1:2)",
  "    at run (workflows/notify.ts:18:11)",
];

describe("a stack", () => {
  it("collapses consecutive frames of Node and of packages, and keeps the user's own", () => {
    expect(foldStack(["HttpError: 503", ...frames].join("\n"), "503")).toEqual([
      { kind: "line", text: frames[0], isFrame: true },
      { kind: "folded", lines: [frames[1], frames[2]] },
      { kind: "line", text: frames[3], isFrame: true },
    ]);
  });

  it("does not repeat a multi-line message", () => {
    expect(foldStack("Error: one\ntwo\n    at run (a.ts:1:1)", "one\ntwo")).toEqual([
      { kind: "line", text: "    at run (a.ts:1:1)", isFrame: true },
    ]);
  });

  it("keeps a different first line, and the causes", () => {
    expect(
      foldStack("Odd\n    at run (a.ts:1:1)\ncaused by Error: deep", "message").map((part) =>
        part.kind === "line" ? part.text : part.lines,
      ),
    ).toEqual(["Odd", "    at run (a.ts:1:1)", "caused by Error: deep"]);
  });
});

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

  it("have the issues of the step whose result cannot be stored", () => {
    const errors = [{ pointer: "/items/1/price", code: "not_json", message: "is a bigint" }];
    const entries = timelineOf(
      [1, "step_failed", { name: "load", error: error("x"), data: { errors } }],
      [2, "attempt_failed", { error: error("x") }],
    );
    expect(errorsOfRun(run, entries)[0]).toMatchObject({ step: "load", issues: errors });
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
