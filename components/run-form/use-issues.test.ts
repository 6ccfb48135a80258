import { expect, test } from "vitest";
import { decidedIssues } from "./use-issues.ts";

const local = [
  { pointer: "/name", code: "required", message: "Required" },
  { pointer: "/currency", code: "enum", message: "Must be one of eur, usd" },
];
const issue = (pointer: string) => ({ pointer, code: "invalid_type", message: "Invalid input." });

test("of the form's issues, those remain that the server confirms, in the form's words", () => {
  expect(decidedIssues(local, [issue("/name")])).toEqual([local[0]]);
});

test("issues that only the server finds are added, and a rejection without issues leaves none", () => {
  expect(decidedIssues(local, [issue("/size")])).toEqual([
    { pointer: "/size", code: "invalid_type", message: "Invalid input" },
  ]);
  expect(decidedIssues(local, [])).toEqual([]);
});

test("the form's issues remain if the server has more than it lists", () => {
  const many = Array.from({ length: 20 }, (_, n) => issue(`/items/${n}`));
  expect(decidedIssues(local, many).slice(0, 2)).toEqual(local);
});
