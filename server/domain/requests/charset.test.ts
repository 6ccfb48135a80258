import { describe, expect, test } from "vitest";
import type { BodyFormat } from "../../contract/project/endpoint.ts";
import { parseBody } from "./body-format.ts";
import { findCharset } from "./charset.ts";

/** Bytes and their text in each charset of the web, with one of its other labels. */
const samples: [name: string, label: string, bytes: string, text: string][] = [
  ["utf-8", "unicode-1-1-utf-8", "c3bce282ac", "ü€"],
  ["us-ascii", "ASCII", "6162", "ab"],
  ["ibm866", "cp866", "8fe0a8", "При"],
  ["iso-8859-2", "latin2", "b1e6", "ąć"],
  ["iso-8859-3", "latin3", "a1fd", "Ħŭ"],
  ["iso-8859-4", "latin4", "e0f9", "āų"],
  ["iso-8859-5", "cyrillic", "bfe0", "Пр"],
  ["iso-8859-6", "arabic", "c7e4", "ال"],
  ["iso-8859-7", "greek8", "c1e2a4", "Αβ€"],
  ["iso-8859-8", "hebrew", "e0e1", "אב"],
  ["iso-8859-8-i", "logical", "e0e1", "אב"],
  ["iso-8859-10", "latin6", "a1e7", "Ąį"],
  ["iso-8859-13", "iso885913", "c0f8", "Ąų"],
  ["iso-8859-14", "iso885914", "a1f0", "Ḃŵ"],
  ["iso-8859-15", "l9", "a4bd", "€œ"],
  ["iso-8859-16", "iso-8859-16", "a4a1", "€Ą"],
  ["koi8-r", "koi8", "f0d2", "Пр"],
  ["koi8-u", "koi8-ru", "a4a6", "єі"],
  ["macintosh", "mac", "8adb", "ä€"],
  ["windows-874", "tis-620", "a1a2", "กข"],
  ["windows-1250", "cp1250", "8a80", "Š€"],
  ["windows-1251", "x-cp1251", "cff0", "Пр"],
  ["windows-1252", "iso-8859-1", "fc809293", "ü€’“"],
  ["windows-1253", "cp1253", "c1e2", "Αβ"],
  ["windows-1254", "latin5", "f0fd", "ğı"],
  ["windows-1255", "cp1255", "e0e1", "אב"],
  ["windows-1256", "cp1256", "c7e1", "ال"],
  ["windows-1257", "cp1257", "c0f8", "Ąų"],
  ["windows-1258", "cp1258", "d5fe", "Ơ₫"],
  ["x-mac-cyrillic", "x-mac-ukrainian", "8ff0", "Пр"],
  ["gbk", "gb2312", "c4e3bac3", "你好"],
  ["gb18030", "gb18030", "c4e381308130", "你\u0080"],
  ["big5", "big5-hkscs", "a741a66e", "你好"],
  ["euc-jp", "x-euc-jp", "c6fccbdc", "日本"],
  ["iso-2022-jp", "csiso2022jp", "1b2442467c4b5c1b2842", "日本"],
  ["shift_jis", "windows-31j", "93fa967b", "日本"],
  ["euc-kr", "ks_c_5601-1987", "c7d1b1b9", "한국"],
  ["utf-16be", "unicodefffe", "00fc20ac", "ü€"],
  ["utf-16le", "utf-16", "fc00ac20", "ü€"],
  ["x-user-defined", "x-user-defined", "8061", "\uf780a"],
];

const json: BodyFormat = { type: "json", bigints: "number" };
const form: BodyFormat = { type: "form", field: null, bigints: "number" };
const payload: BodyFormat = { type: "form", field: "payload", bigints: "number" };
const parse = (format: BodyFormat, body: Uint8Array<ArrayBuffer>, contentType: string): unknown =>
  parseBody(body, { format, contentType, deliveryId: "dlv_1" }).json;

const read = (body: string) => parse(form, Buffer.from(body), "application/x-www-form-urlencoded");

describe("the charset", () => {
  test.each(samples)("%s is read in text, forms, parts and JSON", (name, label, hex, text) => {
    expect(findCharset(label)).toBe(name);
    const bytes = Buffer.from(hex, "hex");
    const escaped = hex.replaceAll(/../g, "%$&");
    for (const each of [name, label, label.toUpperCase(), `"${label}"`, `'${label}'`, ` ${label} `])
      expect(parse({ type: "text" }, bytes, `text/plain; charset=${each}`)).toBe(text);
    expect(parse(form, Buffer.from(`a=${escaped}`), `x/y;charset=${label}`)).toEqual({ a: text });
    expect(parse(form, Buffer.from(`_charset_=${label}&a=${escaped}`), "x/y")).toEqual({ _charset_: label, a: text });
    const isAscii = !name.startsWith("utf-16");
    const quoted = isAscii ? [Buffer.from('"'), bytes, Buffer.from('"')] : [Buffer.from(`"${text}"`, "utf16le")];
    const whole = Buffer.concat(quoted);
    expect(parse(json, name === "utf-16be" ? whole.swap16() : whole, `application/json; charset=${label}`)).toBe(text);
    const part = Buffer.concat([
      Buffer.from(
        `--X\r\nContent-Disposition: form-data; name=a\r\nContent-Type: text/plain; charset=${label}\r\n\r\n`,
      ),
      bytes,
      Buffer.from("\r\n--X--"),
    ]);
    expect(parse({ type: "multipart" }, part, "multipart/form-data; boundary=X")).toEqual({ a: text });
  });

  test("is UTF-8 if it is empty, and unknown if the web has no such charset", () => {
    expect(["", "''", '""', " "].map(findCharset)).toEqual(["utf-8", "utf-8", "utf-8", "utf-8"]);
    expect(["utf-7", "utf-32", "iso-2022-kr", "replacement", "constructor"].map(findCharset)).toEqual(
      Array.from({ length: 5 }, () => null),
    );
  });

  test("of PayPal's notifications is the one in their field, unless they are UTF-8", () => {
    expect(read("first_name=J%FCrgen&charset=windows-1252")).toEqual({ first_name: "Jürgen", charset: "windows-1252" });
    expect(read("first_name=J%C3%BCrgen&charset=windows-1252")).toMatchObject({ first_name: "Jürgen" });
    expect(read("a=%EF%BB%BFb&c=%zz+%")).toEqual({ a: "\uFEFFb", c: "%zz %" });
  });

  test.each<[string, BodyFormat, string, string, string]>([
    ["text", { type: "text" }, "ff", "text/plain", "The body is not valid UTF-8."],
    ["text", { type: "text" }, "81", "text/plain; charset=shift_jis", "The body is not valid shift_jis."],
    ["JSON", json, "22ff22", "application/json", "Line 1, column 2: invalid UTF-8."],
    ["JSON", json, "22ff22", "application/json; charset=euc-kr", "The body is not valid euc-kr."],
    ["a form", form, "6125464626613d62", "x/y", "The name of field 1 of the form is not valid UTF-8."],
    ["a form", form, "613d254646", "x/y", "A field of the form is not valid UTF-8."],
    ["JSON in a form", payload, "7061796c6f61643d2246254646", "x/y", "A field of the form is not valid UTF-8."],
  ])("is an error of %s whose bytes are none", (_, format, hex, contentType, message) => {
    expect(() => parse(format, Buffer.from(hex, "hex"), contentType)).toThrow(message);
  });
});
