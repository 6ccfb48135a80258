import { expect, it } from "vitest";
import { hexLines, jsonOf, readBody } from "./read-body.ts";

it("decodes UTF-8 without changes", () => {
  const text = '\uFEFF{ "name":"Zoë",\r\n"a":1,"a":2 }';
  expect(readBody(Buffer.from(text).toString("base64"))?.text).toBe(text);
});

it("bytes that are not UTF-8 have no text", () => {
  const bytes = new Uint8Array([0xff, 0x00, 0x7b]);
  expect(readBody(Buffer.from(bytes).toString("base64"))).toEqual({ bytes, text: null });
});

it("an absent or empty body is null", () => {
  expect(readBody(null)).toBeNull();
  expect(readBody("")).toBeNull();
});

it("a hex dump has sixteen bytes per line, with their ASCII characters", () => {
  expect(hexLines(new Uint8Array([0xff, 0x00, 0x7b]), 100)).toBe(`000000  ff 00 7b${" ".repeat(42)}..{`);
  expect(hexLines(new TextEncoder().encode("0123456789abcdefg"), 100).split("\n")).toEqual([
    "000000  30 31 32 33 34 35 36 37  38 39 61 62 63 64 65 66  0123456789abcdef",
    `000010  67${" ".repeat(48)}g`,
  ]);
  expect(hexLines(new Uint8Array(100), 40).split("\n")).toHaveLength(3);
});

const json = (text: string) => jsonOf(readBody(Buffer.from(text).toString("base64"))?.text ?? null);

it("parses the JSON of a body, with or without a byte order mark", () => {
  expect([json("\uFEFF[1]"), json("null"), json("{"), jsonOf(null)]).toEqual([[1], null, undefined, undefined]);
});
