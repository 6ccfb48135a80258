import { assert, property, string } from "fast-check";
import { expect, it } from "vitest";
import { plainLine, plainText } from "./plain-text.ts";

it("untrusted strings cannot colour, clear or move the terminal", () => {
  expect(plainText("a\u001b[2Jb\r\u0007\u009b31m\u202e")).toBe("a\\u001b[2Jb\\r\\u0007\\u009b31m\\u202e");
});

it("every string becomes one line without control characters", () => {
  assert(
    property(string({ unit: "binary" }), (text) => {
      expect(plainLine(text)).not.toMatch(/[\p{Cc}\u2028\u2029]/u);
    }),
  );
});

it("a line is the first line of a string, truncated if it is too long", () => {
  expect(plainLine("one\ntwo")).toBe("one");
  expect(plainLine("abcdef", 4)).toBe("abc…");
});
