import { expect, it } from "vitest";
import { layOutJson } from "./lay-out-json.ts";
import { mergeMarks } from "./place-marks.ts";

const text = '{"type":"invoice.paid","invoice":{"currency":"eur"}}';
const lines = layOutJson(text) ?? [];

it("marks are on the lines of their values, from top to bottom", () => {
  const lineMarks = mergeMarks(text, lines, [
    { pointer: "/invoice/currency", tone: "bad", note: "usd" },
    { pointer: "/type", tone: "ok", note: "" },
  ]);
  expect(lineMarks).toEqual([
    { line: 1, tone: "ok", notes: [] },
    { line: 3, tone: "bad", notes: ["usd"] },
  ]);
});

it("a missing value is marked at its parent", () => {
  expect(mergeMarks(text, lines, [{ pointer: "/invoice/amount", tone: "bad", note: "expected ≥ 10" }])).toEqual([
    { line: 2, tone: "bad", notes: ["amount is missing here: expected ≥ 10"] },
  ]);
});

it("marks on one value are merged without duplicates, in the most severe tone", () => {
  const marks = [
    { pointer: "/type", tone: "idle" as const, note: "a" },
    { pointer: "/type", tone: "bad" as const, note: "b" },
    { pointer: "/type", tone: "ok" as const, note: "c" },
    { pointer: "/type", tone: "idle" as const, note: "a" },
  ];
  expect(mergeMarks(text, lines, marks)).toEqual([{ line: 1, tone: "bad", notes: ["a", "b"] }]);
});
