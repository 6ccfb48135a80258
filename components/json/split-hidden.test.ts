import * as fc from "fast-check";
import { expect, it } from "vitest";
import { codePointName, splitHidden } from "./split-hidden.ts";

it("invisible characters are shown as code points", () => {
  expect(splitHidden("a\u202Eb\u0000\u{E0041}")).toEqual([
    { text: "a" },
    { hidden: 0x202e },
    { text: "b" },
    { hidden: 0 },
    { hidden: 0xe0041 },
  ]);
  expect([0, 0x202e, 0xe0041].map(codePointName)).toEqual(["U+0000", "U+202E", "U+E0041"]);
});

it("text in other scripts is unchanged", () => {
  for (const text of ["", "Zoë\t\n", "نام‌های", "👩‍👩‍👧", "日本語", "क्‍ष"]) expect(splitHidden(text)).toEqual([{ text }]);
});

it("every character is kept, in order", () => {
  fc.assert(
    fc.property(fc.string({ unit: "binary" }), (text) => {
      expect(
        splitHidden(text)
          .map((part) => ("text" in part ? part.text : String.fromCodePoint(part.hidden)))
          .join(""),
      ).toBe(text);
    }),
  );
});
