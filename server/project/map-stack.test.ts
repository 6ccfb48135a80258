import { expect, test } from "vitest";
import { excerptLines } from "./map-stack.ts";

const source = Array.from({ length: 10 }, (_, index) => `line ${index + 1}`).join("\r\n");
const numbers = (line: number) => excerptLines(source, line).map(({ number }) => number);

test("an excerpt has three lines before and after, as far as there are any", () => {
  expect(excerptLines(source, 5)[3]).toEqual({ number: 5, text: "line 5" });
  expect(numbers(5)).toEqual([2, 3, 4, 5, 6, 7, 8]);
  expect(numbers(1)).toEqual([1, 2, 3, 4]);
  expect(numbers(10)).toEqual([7, 8, 9, 10]);
});

test("an excerpt of a line that is not there is empty", () => {
  expect([numbers(0), numbers(11)]).toEqual([[], []]);
});

test("long lines of an excerpt are cut to 200 characters", () => {
  expect(excerptLines("x".repeat(1000), 1)[0]?.text).toBe(`${"x".repeat(200)}…`);
});
