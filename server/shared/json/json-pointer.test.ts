import * as fc from "fast-check";
import { expect, it } from "vitest";
import { fromPointer, toPointer } from "./json-pointer.ts";

it("escapes what RFC 6901 escapes", () => {
  expect(toPointer([])).toBe("");
  expect(toPointer(["a/b", "m~n", "", 0])).toBe("/a~1b/m~0n//0");
});

it("every path survives a round trip", () => {
  fc.assert(
    fc.property(fc.array(fc.string()), (path) => {
      expect(fromPointer(toPointer(path))).toEqual(path);
    }),
  );
});
