import { expect, it } from "vitest";
import { timelineOf } from "../testing/timeline.ts";
import { toWaterfall } from "../waterfall.ts";
import { nameAgentRows } from "./name-rows.ts";
import { answered, failed, ran, traceOf } from "./testing/trace.ts";

const step = (name: string, at: number) =>
  [[at, "step_started", { name }] as const, [at + 5, "step_completed", { name }] as const].map(
    ([ms, kind, rest]): [number, typeof kind, typeof rest] => [ms, kind, rest],
  );

it("agent steps have readable labels, and failures reported to the model look like failures", () => {
  const names = [
    "prompt",
    "model 1",
    "model 1 try 2",
    "tool 1.1 search",
    "tool 1.2 send mail",
    "tool 1.3 refund",
    "needs approval 1.3 refund",
    "tool of my own",
  ];
  const entries = timelineOf(
    [0, "attempt_started"],
    ...names.flatMap((name, index) => step(name, index * 10)),
    [100, "sleep_started", { name: "wait for model 2" }],
    [110, "approval_requested", { name: "approval 2.1 refund" }],
  );
  const trace = traceOf({
    steps: [
      failed("model 1", [0, 1], 10),
      answered("model 1 try 2", [2, 3], []),
      ran("tool 1.1 search", [4, 5], { outcome: "done" }),
      ran("tool 1.2 send mail", [6, 7], { outcome: "failed" }),
      ran("tool 1.3 refund", [8, 9], { outcome: "refused" }),
    ],
  });
  expect(
    nameAgentRows(toWaterfall(entries, { isExecuting: true }), trace).map(({ label, of, state }) => [label, of, state]),
  ).toEqual([
    ["Attempt 1", undefined, "open"],
    ["Prompt", "prompt", "ok"],
    ["Model call 1", "model", "failed"],
    ["Model call 1, try 2", "model", "ok"],
    ["Tool search", "tool", "ok"],
    ["Tool send mail", "tool", "failed"],
    ["Tool refund", "tool", "stopped"],
    ["Approval check of refund", "question", "ok"],
    ["tool of my own", undefined, "ok"],
    ["Wait for model call 2", "pause", "open"],
    ["Approval of refund", "approval", "open"],
  ]);
});
