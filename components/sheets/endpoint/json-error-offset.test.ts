import { describe, expect, it } from "vitest";
import { errorOffset } from "./json-error-offset.ts";

describe("the position in an error message", () => {
  it("is found by line and column, with every kind of line ending", () => {
    const text = '{\r\n  "a": 1,\n\r  "b" 2\n}';
    expect(text.slice(errorOffset(text, "Line 4, column 7: expected a colon.") ?? 0)).toBe("2\n}");
  });

  it("counts characters, not UTF-16 code units", () =>
    expect(errorOffset('"🚦" x', "Line 1, column 5: there is more")).toBe(5));

  it("is null when the message names none, or one outside the text", () => {
    expect(errorOffset("{}", "The body is empty. Send JSON.")).toBeNull();
    expect(errorOffset("{}", "Line 9, column 1: x")).toBeNull();
  });
});
