import { expect, it } from "vitest";
import { toggleSelection } from "./selection.ts";

const keys = ["a", "b", "c", "d", "e"];
const toggle = (selected: string[], key: string, last: string | null = null, isRange = false) =>
  [...toggleSelection({ keys, selected: new Set(selected), key, last, isRange })].sort();

it("a click selects a row, and another one takes it back", () => {
  expect(toggle([], "b")).toEqual(["b"]);
  expect(toggle(["a", "b"], "b")).toEqual(["a"]);
});

it("a click with shift makes every row from the last one as this one, upwards too", () => {
  expect(toggle(["b"], "d", "b", true)).toEqual(["b", "c", "d"]);
  expect(toggle(["d"], "b", "d", true)).toEqual(["b", "c", "d"]);
  expect(toggle(["a", "b", "c"], "c", "a", true)).toEqual([]);
});

it("a click with shift is a plain one when the row clicked last is no longer there", () => {
  expect(toggle([], "c", "gone", true)).toEqual(["c"]);
  expect(toggle([], "c", null, true)).toEqual(["c"]);
});
