import { expect, it } from "vitest";
import type { Verdict } from "../../../server/contract/delivery.ts";
import { formatVerdict } from "../../run-form/verdict-preview.tsx";
import { matchedMarks, problemMarks, verdictMarks } from "./verdict-marks.ts";

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

it("each reason marks its path with the expected value, and with the trigger if there are several", () => {
  const verdicts = [
    verdict({ reasons: [amount] }),
    verdict({
      trigger: "paid",
      outcome: "request_mismatch",
      reasons: [{ ...amount, pointer: "/type", expected: null }],
    }),
  ];
  expect(verdictMarks(verdicts, null)).toEqual([
    { pointer: "/amount", tone: "wait", note: "large: expected ≥ 10000" },
    // The body is right for the other trigger's request.
    { pointer: "/type", tone: "idle", note: "paid: Too small" },
  ]);
  expect(verdictMarks(verdicts.slice(1), null)).toEqual([{ pointer: "/type", tone: "bad", note: "Too small" }]);
  expect(verdictMarks(verdicts, "paid").map(({ pointer }) => pointer)).toEqual(["/type"]);
  expect(verdictMarks(verdicts.slice(0, 1), null)[0]?.note).toBe("expected ≥ 10000");
});

it("equal reasons of several triggers for a path are merged", () => {
  const verdicts = ["a", "b", "c"].map((trigger) => verdict({ trigger, reasons: [amount] }));
  expect(verdictMarks(verdicts, null)).toEqual([{ pointer: "/amount", tone: "wait", note: "expected ≥ 10000" }]);
  expect(verdictMarks([...verdicts.slice(1), verdict({ outcome: "matched" })], null)).toEqual([
    { pointer: "/amount", tone: "wait", note: "b, c: expected ≥ 10000" },
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
  expect(problemMarks(problem)).toEqual([{ pointer: "/a~1b", tone: "bad", note: "Required" }]);
  expect(problemMarks(null)).toEqual([]);
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
  const marks = matchedMarks({
    trigger: "paid",
    schemas: [request, filter, filter, null],
    json: { type: "paid", data: { currency: "eur", kind: "y" } },
  });
  expect(marks.map(({ pointer }) => pointer)).toEqual(["/data/currency", "/type"]);
});

it("a disabled trigger has a reason and no marks: it is not about the body", () => {
  const off = verdict({
    outcome: "disabled",
    reasons: [{ pointer: "", code: "disabled", message: "Switched off: noisy", expected: null, actual: null }],
  });
  expect(verdictMarks([off], null)).toEqual([]);
  expect(formatVerdict(off)).toBe("Switched off: noisy");
});
