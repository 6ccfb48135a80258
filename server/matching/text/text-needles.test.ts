import { expect, it } from "vitest";
import { textNeedles } from "./text-needles.ts";

it.each([
  ["plain", ["plain"]],
  ["ADA", ["ada"]],
  ['say "hi"', ['say "hi"', 'say \\"hi\\"']],
  ["Ü", ["Ü", "\\u00dc"]],
  ["\u0001", ["\u0001", "\\u0001"]],
  ["😀", ["😀", "\\ud83d\\ude00"]],
])("%j can be in JSON as %j", (text, forms) => {
  expect(textNeedles(text).map(String)).toEqual(forms);
});
