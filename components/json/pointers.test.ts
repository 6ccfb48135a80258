import * as fc from "fast-check";
import { expect, it } from "vitest";
import { layOutJson } from "../../server/shared/json/json-layout.ts";
import { toPointer } from "../../server/shared/json/json-pointer.ts";
import { mergeMarks, resolvePointer } from "./pointers.ts";

const invoiceText = '{"type":"invoice.paid","invoice":{"currency":"eur"}}';
const invoiceLines = layOutJson(invoiceText) ?? [];

it("marks are on the lines of their values, from top to bottom", () => {
  const lineMarks = mergeMarks(invoiceText, invoiceLines, [
    { pointer: "/invoice/currency", tone: "bad", note: "usd" },
    { pointer: "/type", tone: "ok", note: "" },
  ]);
  expect(lineMarks).toEqual([
    { line: 1, tone: "ok", notes: [] },
    { line: 3, tone: "bad", notes: ["usd"] },
  ]);
});

it("a missing value is marked at its parent", () => {
  expect(
    mergeMarks(invoiceText, invoiceLines, [{ pointer: "/invoice/amount", tone: "bad", note: "expected ≥ 10" }]),
  ).toEqual([{ line: 2, tone: "bad", notes: ["amount is missing here: expected ≥ 10"] }]);
});

it("marks on one value are merged without duplicates, in the most severe tone", () => {
  const marks = [
    { pointer: "/type", tone: "idle" as const, note: "a" },
    { pointer: "/type", tone: "bad" as const, note: "b" },
    { pointer: "/type", tone: "ok" as const, note: "c" },
    { pointer: "/type", tone: "idle" as const, note: "a" },
  ];
  expect(mergeMarks(invoiceText, invoiceLines, marks)).toEqual([{ line: 1, tone: "bad", notes: ["a", "b"] }]);
});

const find = (text: string, pointer: string) => {
  const lines = layOutJson(text) ?? [];
  const { line, missing } = resolvePointer(text, lines, pointer);
  const { start, end } = lines[line]?.token ?? { start: 0, end: 0 };
  return { token: text.slice(start, end), missing };
};

it.each([
  ["", "{", null],
  ["/a", "[", null],
  ["/a/1", "2", null],
  ["/c~1d/~0", "3", null],
  ["/e", "5", null],
  ["/é", "6", null],
  ["/", "7", null],
])("the pointer %j points to the value", (pointer, token, missing) => {
  expect(find(String.raw`{"a":[1,2],"c/d":{"~":3},"e":4,"e":5,"\u00e9":6,"":7}`, pointer)).toEqual({ token, missing });
});

it.each([
  ["/amount", "{", "amount"],
  ["/customer/email", "{", "customer.email"],
  ["/items/2/price", "[", "2.price"],
  ["/items/01", "[", "01"],
  ["/name/first", '"Ada"', "first"],
  ["/none", "{", "none"],
  ["/a…", "{", "a…"],
])("the value at %j is missing, and the nearest ancestor is found", (pointer, token, missing) => {
  expect(find('{"items":[1,2],"name":"Ada","none ":{}}', pointer)).toEqual({ token, missing });
});

it("every value of a document has its own line", () => {
  const pointersOf = (value: unknown, at = ""): string[] => [
    at,
    ...Object.entries(typeof value === "object" && value !== null ? value : {}).flatMap(([key, child]) =>
      pointersOf(child, at + toPointer([key])),
    ),
  ];
  fc.assert(
    fc.property(fc.json(), (text) => {
      const lines = layOutJson(text) ?? [];
      const found = pointersOf(JSON.parse(text)).map((pointer) => resolvePointer(text, lines, pointer));
      expect(found.filter(({ missing }) => missing !== null)).toEqual([]);
      expect(new Set(found.map(({ line }) => line)).size).toBe(found.length);
    }),
  );
});
