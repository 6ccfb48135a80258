import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { AppError } from "../../contract/app-error.ts";
import { readMultipart } from "./multipart.ts";

const type = "multipart/form-data; boundary=XX";
const end = "--XX--\r\n";

/** A part in the notation of a sender. Each character is a byte. */
const part = (headers: string, content: string, padding = "") => `--XX${padding}\r\n${headers}\r\n\r\n${content}\r\n`;
const named = (parameters: string, ...headers: string[]) =>
  [`Content-Disposition: form-data; ${parameters}`, ...headers].join("\r\n");

/** Names with their text, or with the name, the type and the bytes of the file. */
function read(body: string | Buffer<ArrayBuffer>, contentType = type): unknown {
  try {
    const bytes = typeof body === "string" ? Buffer.from(body, "latin1") : body;
    return readMultipart(bytes, contentType).map(({ name, value }) =>
      typeof value === "string"
        ? [name, value]
        : [name, value.filename, value.contentType, value.bytes.toString("latin1")],
    );
  } catch (error) {
    if (error instanceof AppError)
      return `${error.code}${error.errors.map(({ pointer }) => ` at ${pointer}`).join("")}: ${error.message}`;
    throw error;
  }
}

const utf8 = (text: string) => Buffer.from(text).toString("latin1");

describe("a multipart form of a real sender", () => {
  const field = part(named('name="a"'), "1");
  test.each<[string, string, unknown, string?]>([
    ["without quotes", part(named("name=a"), "1") + end, [["a", "1"]]],
    ["with a preamble", `This is a form.\r\n${field}${end}`, [["a", "1"]]],
    ["with an epilogue", `${field}${end}--XX\r\nnothing`, [["a", "1"]]],
    ["without a line break at the end", `${field}--XX--`, [["a", "1"]]],
    ["with spaces after the boundaries", `${part(named('name="a"'), "1", " \t ")}--XX-- \t\r\n`, [["a", "1"]]],
    ["without fields", end, []],
    ["with an empty value", part(named('name="a"'), "") + end, [["a", ""]]],
    [
      "with an empty value, whose line break is that of the boundary",
      `--XX\r\n${named('name="a"')}\r\n\r\n${end}`,
      [["a", ""]],
    ],
    [
      "with boundaries inside of a value",
      part(named('name="a"'), "x--XX\r\n--XXY\r\n --XX\r\nx--XX--\r\n--XX x\n--XX\n") + end,
      [["a", "x--XX\r\n--XXY\r\n --XX\r\nx--XX--\r\n--XX x\n--XX\n"]],
    ],
    ["with names in upper case", part('CONTENT-DISPOSITION: FORM-DATA; NAME="a"', "1") + end, [["a", "1"]]],
    ["with a header on two lines", part('Content-Disposition: form-data;\r\n name="a"', "1") + end, [["a", "1"]]],
    ["with the name of a prototype", part(named('name="__proto__"'), "1") + end, [["__proto__", "1"]]],
    [
      "with a boundary of unusual characters, in quotes",
      "--a:b'()+_,-./=? c\r\nContent-Disposition: form-data; name=a\r\n\r\n1\r\n--a:b'()+_,-./=? c--",
      [["a", "1"]],
      `multipart/form-data; charset=utf-8; boundary="a:b'()+_,-./=? c"`,
    ],
    ["with an escaped quote", file('filename="a\\"b.txt"'), [["f", 'a"b.txt', "text/csv", "1"]]],
    ["with a path of Windows", file('filename="C:\\dir\\b.txt"'), [["f", "C:\\dir\\b.txt", "text/csv", "1"]]],
    ["with the escapes of browsers", file('filename="a%22%0D%0Ab%20.txt"'), [["f", 'a"\r\nb%20.txt', "text/csv", "1"]]],
    ["with a semicolon in a name", file('filename="a;b=c.txt"'), [["f", "a;b=c.txt", "text/csv", "1"]]],
    ["with an empty file name", file('filename=""'), [["f", "", "text/csv", "1"]]],
    ["with UTF-8 in a file name", file(`filename="${utf8("ü€.txt")}"`), [["f", "ü€.txt", "text/csv", "1"]]],
    ["with filename*", file("filename=e.txt; filename*=UTF-8''%e2%82%ac.txt"), [["f", "€.txt", "text/csv", "1"]]],
    ["with filename* in ISO 8859-1", file("filename*=iso-8859-1'en'%a3%80.txt"), [["f", "£€.txt", "text/csv", "1"]]],
    [
      "with a file name in sections",
      file("filename*0*=UTF-8''%c3%bc; filename*1=\"%20b.txt\""),
      [["f", "ü%20b.txt", "text/csv", "1"]],
    ],
    ["with base64", part(named("name=a", "content-transfer-encoding: BASE64"), "aGVs\r\nbG8=") + end, [["a", "hello"]]],
    [
      "with Base64 of a file",
      file('filename="b"', "Content-Transfer-Encoding: Base64", "/wA="),
      [["f", "b", "text/csv", "\xff\0"]],
    ],
    [
      "with quoted-printable",
      part(named("name=a", "Content-Transfer-Encoding: Quoted-Printable"), "a=3Db=\r\nc=C3=BC \t\r\nd") + end,
      [["a", "a=bcü\r\nd"]],
    ],
    ["with 8BIT", part(named("name=a", "Content-Transfer-Encoding: 8BIT"), utf8("ü")) + end, [["a", "ü"]]],
    [
      "with a charset of a part",
      part(named("name=a", "Content-Type: text/plain; charset=ISO-8859-1"), "\xfc") +
        part(named("name=b"), utf8("ü")) +
        end,
      [
        ["a", "ü"],
        ["b", "ü"],
      ],
    ],
    [
      "with US-ASCII that is UTF-8",
      part(named("name=a", "Content-Type: text/plain; charset=US-ASCII"), utf8("ü")) + end,
      [["a", "ü"]],
    ],
    [
      "with the charset of the whole form",
      part(named("name=\xfc"), "\x80") + end,
      [["ü", "€"]],
      `${type}; charset=windows-1252`,
    ],
    [
      "with _charset_",
      part(named("name=_charset_"), "shift_jis") + part(named("name=a"), "\x93\xfa") + end,
      [
        ["_charset_", "shift_jis"],
        ["a", "日"],
      ],
    ],
    [
      "with the field charsets of SendGrid",
      part(named("name=text"), "\xfc") + part(named("name=charsets"), '{"to":"UTF-8","text":"iso-8859-1"}') + end,
      [
        ["text", "ü"],
        ["charsets", '{"to":"UTF-8","text":"iso-8859-1"}'],
      ],
    ],
    [
      "with a nested multipart/mixed",
      part(
        named("name=files", "Content-Type: multipart/mixed; boundary=YY"),
        '--YY\r\nContent-Disposition: file; filename="a.txt"\r\n\r\nA\r\n--YY\r\nContent-Disposition: attachment; filename=b\r\nContent-Type: image/png\r\n\r\n\xff\r\n--YY--',
      ) + end,
      [
        ["files", "a.txt", "text/plain", "A"],
        ["files", "b", "image/png", "\xff"],
      ],
    ],
  ])("%s is read", (_, body, expected, contentType) => {
    expect(read(body, contentType)).toEqual(expected);
  });

  test.each<[string, string, RegExp, string?]>([
    ["that is cut off in its head", `--XX\r\n${named("name=a")}`, /Part 1 has no blank line/],
    ["that is cut off in a value", `${field}--XX\r\n${named("name=b")}\r\n\r\nsec`, /Its last boundary is missing/],
    ["that is cut off after a value", field, /Its last boundary is missing/],
    ["that is empty", "", /Its last boundary is missing/],
    ["with another boundary", field + end, /Its last boundary is missing/, "multipart/form-data; boundary=YY"],
    ["without a boundary", field + end, /no usable boundary/, "multipart/form-data"],
    ["with a huge boundary", field + end, /no usable boundary/, `multipart/form-data; boundary=${"-".repeat(101)}`],
    ["with lines that end in LF", (field + end).replaceAll("\r\n", "\n"), /Line breaks are CR LF/],
    ["with a part without headers", `--XX\r\n\r\nsecret\r\n${end}`, /Part 1 has no name/],
    ["with a part without a name", part("Content-Disposition: form-data", "1") + end, /Part 1 has no name/],
    ["with a head that never ends", `--XX\r\n${named("name=a")}\r\n${end}`, /Part 1 has no blank line/],
    [
      "with a line without a colon",
      part(`${named("name=a")}\r\nnonsense`, "1") + end,
      /Part 1 has a header without a colon/,
    ],
    ["with a file name that ends early", file('filename="a"b.txt"'), /The Content-Disposition of part 1 is malformed/],
    ["with a long head", part(named("name=a", `X-A: ${"a".repeat(17_000)}`), "1") + end, /longer than 16 KiB/],
    [
      "with text that is not UTF-8",
      part(named("name=a"), "\xff") + end,
      /^invalid_body at \/a: A field of the form is not valid UTF-8/,
    ],
    [
      "with a name that is not UTF-8",
      part(named("name=\xff"), "") + end,
      /The name of part 1 of the form is not valid UTF-8/,
    ],
    [
      "with a file name that is not UTF-8",
      file("filename=\xff"),
      /The file name of part 1 of the form is not valid UTF-8/,
    ],
    [
      "with filename* that is not UTF-8",
      file("filename*=utf-8''%ff"),
      /The file name of part 1 of the form is not valid utf-8|UTF-8/,
    ],
    [
      "with an unknown charset",
      part(named("name=a", "Content-Type: text/plain; charset=utf-7"), "") + end,
      / at \/a: A field of the form has a charset that is unknown/,
    ],
    [
      "with broken base64",
      part(named("name=a", "Content-Transfer-Encoding: base64"), "a") + end,
      / at \/a: A field of the form is not valid base64/,
    ],
    [
      "with broken quoted-printable",
      part(named("name=a", "Content-Transfer-Encoding: quoted-printable"), "=XX") + end,
      / at \/a: A field of the form is not valid quoted-printable/,
    ],
    [
      "with another encoding",
      part(named("name=a", "Content-Transfer-Encoding: uuencode"), "") + end,
      / at \/a: A field of the form has an unknown Content-Transfer-Encoding/,
    ],
    ["nested too deep", nested(6), /nested deeper than 4 levels/],
  ])("%s is an error that says what is wrong, without a value", (_, body, message, contentType) => {
    const found = read(body, contentType);
    expect(found).toMatch(message);
    expect(found).not.toContain("sec");
  });

  function file(parameters: string, header = "X-A: 1", content = "1") {
    return part(named(`name="f"; ${parameters}`, "Content-Type: text/csv", header), content) + end;
  }
});

const quote = (value: string) =>
  value
    .replaceAll('"', "%22")
    .replaceAll("\r", "%0D")
    .replaceAll("\n", "%0A")
    .replaceAll(/\\(?=\\)/g, "\\\\");

describe("every multipart form", () => {
  const text = fc.string({ unit: "binary" }).filter((value) => value.isWellFormed());
  const name = text.filter((value) => !/%(22|0d|0a)/i.test(value));
  const fields = fc.array(
    fc.oneof(
      fc.record({ name, value: text }),
      fc.record({ name, filename: name, bytes: fc.uint8Array({ maxLength: 200 }) }),
    ),
    { maxLength: 6 },
  );

  test("is read as it was written", () => {
    fc.assert(
      fc.property(fields, (written) => {
        const chunks = written.map((each) => {
          const disposition = `Content-Disposition: form-data; name="${quote(each.name)}"`;
          const rest = "filename" in each ? `; filename="${quote(each.filename)}"\r\nContent-Type: a/b` : "";
          const content = "bytes" in each ? each.bytes : Buffer.from(each.value);
          return Buffer.concat([Buffer.from(`--b0und\r\n${disposition}${rest}\r\n\r\n`), content, Buffer.from("\r\n")]);
        });
        const body = Buffer.concat([...chunks, Buffer.from("--b0und--\r\n")]);
        const expected = written.map((each) =>
          "bytes" in each
            ? [each.name, each.filename, "a/b", Buffer.from(each.bytes).toString("latin1")]
            : [each.name, each.value],
        );
        expect(read(body, "multipart/form-data; boundary=b0und")).toEqual(expected);
      }),
      { numRuns: 300 },
    );
  });

  test("that is cut off anywhere is an error", () => {
    const whole = part(named('name="a"'), "1") + part(named('name="f"; filename="b"'), "22") + "--XX--";
    for (let length = 0; length < whole.length; length++)
      expect(read(whole.slice(0, length))).toMatch(/^invalid_body: The body is not a valid multipart form/);
  });
});

function nested(depth: number, boundary = "XX"): string {
  const inner = `${boundary}${depth}`;
  const head = `--${boundary}\r\nContent-Disposition: form-data; name=a\r\nContent-Type: multipart/mixed; boundary=${inner}`;
  return `${head}\r\n\r\n${depth === 0 ? "" : nested(depth - 1, inner)}\r\n--${boundary}--`;
}
