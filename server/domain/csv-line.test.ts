import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { csvLine } from "./csv-line.ts";

describe("a line of CSV", () => {
  test("quotes cells as RFC 4180 requires, and no others", () => {
    expect(csvLine(["plain", 'say "hi"', "a,b", "two\nlines", null, 7, ""])).toBe(
      'plain,"say ""hi""","a,b","two\nlines",,7,\r\n',
    );
  });

  test.each([
    "=1+1",
    "+1",
    "-1",
    "@SUM(A1)",
    "\t=1",
    "\r=1",
    "\n=1",
    "\nplain",
    " =1",
    "\u00A0=1",
    "\uFEFF=1",
    "\u200B=1",
    "\0=1",
    " \n\t =1",
    "＝1+1",
    "＋1",
    "－1",
    "＠SUM(A1)",
    "\n＝1",
    "\u3000＝1",
    "﹦1",
    "﹢1",
    "﹣1",
    "﹫A1",
  ])("escapes the formula %j", (text) => {
    expect(csvLine([text])).toMatch(/^"?'/);
  });

  test.each(["a=1", "1-2", "a@example.com", "", " ", " plain", "'=1", "é", "一"])(
    "leaves %j, which is none",
    (text) => {
      expect(csvLine([text])).toBe(`${text}\r\n`);
    },
  );

  test("no cell begins like a formula, with any characters before its sign", () => {
    const ignored = fc
      .array(fc.constantFrom(" ", "\t", "\r", "\n", "\u00A0", "\uFEFF", "\u200B", "\u2028", "\u3000", "\0", "\u001B"), {
        maxLength: 5,
      })
      .map((parts) => parts.join(""));
    const sign = fc.constantFrom("=", "+", "-", "@", "＝", "＋", "－", "＠", "﹦", "﹢", "﹣", "﹫");
    fc.assert(
      fc.property(ignored, sign, fc.string(), (before, first, rest) => {
        const [cell] = readLine(csvLine([before + first + rest]));
        expect(cell).toBe(`'${before}${first}${rest}`);
      }),
    );
  });

  test("every line reads back as the cells it was made of, with no cell that a spreadsheet runs", () => {
    const cell = fc.oneof(
      fc.string(),
      fc
        .array(fc.constantFrom('"', ",", "\r", "\n", " ", "=", "＝", "a", "-"), { maxLength: 8 })
        .map((parts) => parts.join("")),
    );
    fc.assert(
      fc.property(fc.array(cell, { minLength: 1, maxLength: 5 }), (cells) => {
        const read = readLine(csvLine(cells));
        expect(read.map((text, index) => (text === `'${cells[index]}` ? cells[index] : text))).toEqual(cells);
        expect(read.filter((text) => /^[\t\r\n]|^\s*[=+\-@＝＋－＠]/.test(text))).toEqual([]);
      }),
      { numRuns: 1000 },
    );
  });
});

/** An independent parser, by the grammar of RFC 4180. */
function readLine(line: string): string[] {
  const cells: string[] = [];
  let at = 0;
  for (;;) {
    const [whole = "", quoted, plain] = /^(?:"((?:[^"]|"")*)"|([^",\r\n]*))(?=,|\r\n$)/.exec(line.slice(at)) ?? [];
    cells.push(quoted === undefined ? (plain ?? "") : quoted.replaceAll('""', '"'));
    at += whole.length;
    if (line[at] !== ",") return cells;
    at += 1;
  }
}
