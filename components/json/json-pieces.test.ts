import { expect, it } from "vitest";
import { layOutJson } from "../../server/shared/json/json-layout.ts";
import { prettyText, shownLines, unfoldAround } from "./json-pieces.ts";

const nestedLines = layOutJson('{"a":[[1],2],"b":3}') ?? [];

it("a folded value shows only its first line", () => {
  expect(shownLines(nestedLines, new Set())).toEqual([0, 1, 2, 3, 4, 5, 6, 7, 8]);
  expect(shownLines(nestedLines, new Set([1, 2]))).toEqual([0, 1, 7, 8]);
  expect(shownLines(nestedLines, new Set([0]))).toEqual([0]);
});

it("showing a line unfolds only its ancestors", () => {
  expect(unfoldAround(nestedLines, new Set([0, 1, 2]), 2)).toEqual(new Set([2]));
  const folded = new Set([1]);
  expect(unfoldAround(nestedLines, folded, 7)).toBe(folded);
});

it("text for copying has the usual indentation, and every token as it was written", () => {
  const text = '{"id":1.0,"a":[],"b":[1,{"c":{}}],"id":1e400}';
  expect(prettyText(text, layOutJson(text) ?? [])).toBe(
    '{\n  "id": 1.0,\n  "a": [],\n  "b": [\n    1,\n    {\n      "c": {}\n    }\n  ],\n  "id": 1e400\n}',
  );
});
