import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { csvLine } from "./csv-line.ts";

describe("a line of CSV", () => {
  test("quotes what RFC 4180 says, and leaves the rest", () => {
    expect(csvLine(["plain", 'say "hi"', "a,b", "two\nlines", null, 7, ""])).toBe('plain,"say ""hi""","a,b","two\nlines",,7,\r\n');
  });

  test.each(["=1+1", "+1", "-1", "@SUM(A1)", "\t=1", "\r=1"])("makes the formula %j a text", (text) => {
    expect(csvLine([text])).toMatch(/^"?'/);
  });

  test("every line reads back as the cells it was made of, with no cell that a spreadsheet runs", () => {
    const cell = fc.oneof(fc.string(), fc.array(fc.constantFrom('"', ",", "\r", "\n", "=", "a", "-"), { maxLength: 8 }).map((parts) => parts.join("")));
    fc.assert(
      fc.property(fc.array(cell, { minLength: 1, maxLength: 5 }), (cells) => {
        const read = readLine(csvLine(cells));
        expect(read.map((text, index) => (text === `'${cells[index]}` ? cells[index] : text))).toEqual(cells);
        expect(read.filter((text) => /^[=+\-@\t\r]/.test(text))).toEqual([]);
      }),
      { numRuns: 1000 },
    );
  });
});

/** A reader of its own, after the grammar of RFC 4180. */
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
