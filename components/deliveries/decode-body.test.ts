import { expect, it } from "vitest";
import { decodeBody } from "./decode-body.ts";

const base64 = (...bytes: number[]) => Buffer.from(bytes).toString("base64");

it("UTF-8 is shown as text, exactly as it came", () => {
  const text = '\uFEFF{ "name":"Zoë",\r\n"a":1,"a":2 }';
  expect(decodeBody(Buffer.from(text).toString("base64"))).toEqual({ kind: "text", text });
});

it("bytes that are not UTF-8 are shown in hexadecimal", () => {
  expect(decodeBody(base64(0xff, 0x00, 0x7b))).toEqual({ kind: "bytes", text: "000000  ff 00 7b" });
});

it("of large binary bodies the first 4 kB are shown, and how much more there is", () => {
  const decoded = decodeBody(Buffer.alloc(5000, 0xff).toString("base64"));
  expect(decoded).toMatchObject({ kind: "bytes", text: expect.stringMatching(/… 904 more bytes$/) });
});

it("no body, or an empty one, is none", () => {
  expect(decodeBody(null)).toEqual({ kind: "none" });
  expect(decodeBody("")).toEqual({ kind: "none" });
});
