import { expect, it } from "vitest";
import { layOutJson } from "./lay-out-json.ts";
import { shownLines, unfoldAround } from "./shown-lines.ts";

const lines = layOutJson('{"a":[[1],2],"b":3}') ?? [];

it("a folded value shows only its first line", () => {
  expect(shownLines(lines, new Set())).toEqual([0, 1, 2, 3, 4, 5, 6, 7, 8]);
  expect(shownLines(lines, new Set([1, 2]))).toEqual([0, 1, 7, 8]);
  expect(shownLines(lines, new Set([0]))).toEqual([0]);
});

it("showing a line unfolds only its ancestors", () => {
  expect(unfoldAround(lines, new Set([0, 1, 2]), 2)).toEqual(new Set([2]));
  const folded = new Set([1]);
  expect(unfoldAround(lines, folded, 7)).toBe(folded);
});
