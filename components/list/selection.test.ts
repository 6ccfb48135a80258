import { expect, it } from "vitest";
import { toggleSelection } from "./selection.ts";

const keys = ["a", "b", "c", "d", "e"];
const toggle = (selected: string[], key: string, last: string | null = null, isRange = false) =>
  [...toggleSelection({ keys, selected: new Set(selected), key, last, isRange })].sort();

it("a click selects a row, and a second click deselects it", () => {
  expect(toggle([], "b")).toEqual(["b"]);
  expect(toggle(["a", "b"], "b")).toEqual(["a"]);
});

it("a click with Shift sets all rows from the last one, in both directions", () => {
  expect(toggle(["b"], "d", "b", true)).toEqual(["b", "c", "d"]);
  expect(toggle(["d"], "b", "d", true)).toEqual(["b", "c", "d"]);
  expect(toggle(["a", "b", "c"], "c", "a", true)).toEqual([]);
});

it("a click with Shift is a plain click if the last row no longer exists", () => {
  expect(toggle([], "c", "gone", true)).toEqual(["c"]);
  expect(toggle([], "c", null, true)).toEqual(["c"]);
});
