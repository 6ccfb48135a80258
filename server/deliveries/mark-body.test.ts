import { expect, it } from "vitest";
import type { Verdict } from "../contract/delivery.ts";
import { markBody } from "./mark-body.ts";

const verdict = (over: Partial<Verdict>): Verdict => ({
  trigger: "large",
  attachmentId: "large:notify",
  target: { kind: "workflow", slug: "notify" },
  outcome: "filter_mismatch",
  runId: null,
  reasons: [],
  ...over,
});
const amount = { pointer: "/amount", code: "too_small", message: "Too small", expected: "≥ 10000", actual: "4200" };
const marksOf = (...verdicts: Verdict[]) =>
  markBody({ delivery: { verdicts, problem: null }, json: null, triggers: [] });

it("each reason marks its path with the expected value and the trigger", () => {
  const wrong = verdict({
    trigger: "paid",
    outcome: "request_mismatch",
    reasons: [{ ...amount, pointer: "/type", expected: null }],
  });
  expect(marksOf(verdict({ reasons: [amount] }), wrong)).toEqual([
    { pointer: "/amount", kind: "stopped", text: "expected ≥ 10000", triggers: ["large"], isOfAll: false },
    // The body is right for the other trigger's request.
    { pointer: "/type", kind: "other", text: "Too small", triggers: ["paid"], isOfAll: false },
  ]);
  expect(marksOf(wrong)).toEqual([
    { pointer: "/type", kind: "wrong", text: "Too small", triggers: ["paid"], isOfAll: true },
  ]);
});

it("equal reasons of several triggers for a path are merged", () => {
  const verdicts = ["a", "b", "c"].map((trigger) => verdict({ trigger, reasons: [amount] }));
  const merged = { pointer: "/amount", kind: "stopped", text: "expected ≥ 10000" };
  expect(marksOf(...verdicts)).toEqual([{ ...merged, triggers: ["a", "b", "c"], isOfAll: true }]);
  expect(marksOf(...verdicts.slice(1), verdict({ outcome: "matched" }))).toEqual([
    { ...merged, triggers: ["b", "c"], isOfAll: false },
  ]);
});

it("a rejection without verdicts marks the paths that it names", () => {
  const problem = {
    type: "",
    title: "",
    status: 422,
    code: "request_mismatch",
    detail: "",
    errors: [{ pointer: "/a~1b", code: "x", message: "Required" }],
  };
  expect(markBody({ delivery: { verdicts: [], problem }, json: null, triggers: [] })).toEqual([
    { pointer: "/a~1b", kind: "wrong", text: "Required", triggers: [], isOfAll: true },
  ]);
  expect(marksOf()).toEqual([]);
});

it("fixed values that match a trigger are marked once, at their paths", () => {
  const request = {
    type: "object",
    properties: {
      type: { type: "string" },
      data: { type: "object", properties: { currency: { enum: ["eur", "usd"] }, kind: { const: "x" } } },
    },
  };
  const filter = { type: "object", properties: { type: { const: "paid" }, none: { const: 1 } } };
  const marks = markBody({
    delivery: { verdicts: [verdict({ outcome: "matched" })], problem: null },
    json: { type: "paid", data: { currency: "eur", kind: "y" } },
    triggers: [{ attachmentId: "large:notify", slug: "large", request, filter }],
  });
  expect(marks.map(({ pointer, kind, text }) => [pointer, kind, text])).toEqual([
    ["/data/currency", "matched", "matches large"],
    ["/type", "matched", "matches large"],
  ]);
});

it("a disabled trigger has a reason and no marks: it is not about the body", () => {
  const reasons = [{ pointer: "", code: "disabled", message: "Disabled: noisy", expected: null, actual: null }];
  expect(marksOf(verdict({ outcome: "disabled", reasons }))).toEqual([]);
});
