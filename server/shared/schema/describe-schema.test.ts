import { describe, expect, it } from "vitest";
import { readPattern } from "./formats.ts";
import { describeChoice, describeValue, formatInlineNumber } from "./describe-schema.ts";
import { keyStep, bodyPath } from "./conditions.ts";
import { visibleText } from "./visible-text.ts";

describe("numbers", () => {
  it("large ones have separated thousands, years do not", () => {
    expect([2026, 10_000, -1_234_567.25, 1e30, 0.000001].map(formatInlineNumber)).toEqual([
      "2026",
      "10,000",
      "-1,234,567.25",
      "1e+30",
      "0.000001",
    ]);
  });
});

describe("untrusted strings", () => {
  it("hidden characters are escaped", () => {
    expect(visibleText("a\u202Eb\u0000c\uD800\u200Bd\n")).toBe(String.raw`a\u202eb\u0000c\ud800\u200bd\u000a`);
  });

  it("letters of every script and joined emoji stay unchanged", () => {
    expect(visibleText("ключ 👩‍💻 é")).toBe("ключ 👩‍💻 é");
  });

  it("are truncated, never inside a character", () => {
    expect(visibleText("🚦".repeat(10), 6)).toBe("🚦🚦…");
  });
});

describe("values", () => {
  it("words have no quotes, other values do", () => {
    expect(["invoice.paid", "a b", "7", "true", "", 7, true, null].map((value) => describeValue(value))).toEqual([
      "invoice.paid",
      '"a b"',
      '"7"',
      '"true"',
      '""',
      "7",
      "true",
      "null",
    ]);
  });

  it("choices end with or, long ones are counted", () => {
    expect(describeChoice(["a", "b", "c"])).toBe("a, b or c");
    expect(describeChoice([1, 2, 3, 4, 5, 6])).toBe("one of 1, 2, 3, 4 and 2 more");
  });
});

describe("paths", () => {
  it("have their usual notation; a key with unusual characters is in quotes", () => {
    expect(bodyPath(["items", "[]", keyStep("a b"), keyStep("sku")])).toBe('items[]["a b"].sku');
    expect(bodyPath([keyStep("a.b")])).toBe('["a.b"]');
    expect(bodyPath([])).toBe("the body");
  });
});

describe("patterns of plain text", () => {
  it.each([
    [String.raw`^ord_.*`, { kind: "starts", texts: ["ord_"] }],
    [String.raw`\@example\.com$`, { kind: "ends", texts: ["@example.com"] }],
    [String.raw`.*\$$`, { kind: "ends", texts: ["$"] }],
    [String.raw`x\.y`, { kind: "contains", texts: ["x.y"] }],
    [String.raw`^(?:a|b-c)$`, { kind: "is", texts: ["a", "b-c"] }],
    [String.raw`^a+$`, null],
    [String.raw`^\d$`, null],
    [String.raw`a|b`, null],
    [String.raw`cost\$`, { kind: "contains", texts: ["cost$"] }],
    ["", null],
    ["^", null],
  ])("%s", (pattern, plain) => expect(readPattern(pattern)).toEqual(plain));
});
