import * as fc from "fast-check";
import { expect, it } from "vitest";
import { resolvePointer, pointerOf } from "./find-place.ts";
import { layOutJson } from "./lay-out-json.ts";

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

it("the pointer of every line points back to the line, without repeated keys", () => {
  fc.assert(
    fc.property(fc.json(), (text) => {
      const lines = layOutJson(text) ?? [];
      const values = [...lines.keys()].filter((at) => lines[at]?.kind !== "end");
      expect(values.map((at) => resolvePointer(text, lines, pointerOf(text, lines, at)))).toEqual(
        values.map((line) => ({ line, missing: null })),
      );
    }),
  );
});
