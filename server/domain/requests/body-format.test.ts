import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { AppError } from "../../contract/app-error.ts";
import type { BodyFormat } from "../../contract/project/endpoint.ts";
import { encodeBody } from "../../shared/schema/encode-body.ts";
import { chooseFormat, onlyJson, parseBody, readFile } from "./body-format.ts";

const form: BodyFormat = { type: "form", field: null, bigints: "number" };
const payload: BodyFormat = { type: "form", field: "payload", bigints: "number" };
const multipart: BodyFormat = { type: "multipart" };
const text: BodyFormat = { type: "text" };
const bytes: BodyFormat = { type: "bytes" };

const bytesOf = (body: string | Uint8Array<ArrayBuffer>) => Buffer.from(body);
const parse = async (format: BodyFormat, body: string | Uint8Array<ArrayBuffer>, contentType?: string) =>
  parseBody(bytesOf(body), { format, contentType, deliveryId: "dlv_1" }).json;
const fault = async (format: BodyFormat, body: string | Uint8Array<ArrayBuffer>, contentType?: string) => {
  const error: unknown = await parse(format, body, contentType).catch((thrown: unknown) => thrown);
  return error instanceof AppError
    ? `${error.code}${error.errors.map(({ pointer }) => ` at ${pointer}`).join("")}: ${error.message}`
    : error;
};

const choose = (formats: readonly BodyFormat[], contentType?: string, contentEncoding?: string) => {
  const chosen = chooseFormat(formats, { contentType, contentEncoding });
  return chosen instanceof AppError ? chosen.message : chosen.type;
};

describe("the format of a request", () => {
  test("is the one that its Content-Type names, with parameters and in any case", () => {
    expect(choose([form], "Application/X-WWW-Form-URLEncoded; charset=utf-8")).toBe("form");
    expect(choose([multipart], 'multipart/form-data; boundary="a b"')).toBe("multipart");
    expect(choose([...onlyJson, payload], "application/json")).toBe("json");
    expect(choose([...onlyJson, payload], "application/x-www-form-urlencoded")).toBe("form");
    expect(choose([text], undefined)).toBe("text");
    expect(choose([text], "application/xml")).toBe("text");
    expect(choose([bytes], "image/png", "gzip")).toBe("bytes");
  });

  test("is none of another type, charset or encoding, and the message says which to send", () => {
    expect(choose([form], "application/json")).toBe(
      "The Content-Type is not that of a form. Send application/x-www-form-urlencoded.",
    );
    expect(choose([...onlyJson, payload], "text/plain")).toBe(
      "The Content-Type is not JSON or that of a form. Send application/json or application/x-www-form-urlencoded.",
    );
    expect(choose(onlyJson, "text/plain")).toBe(
      "The Content-Type is not JSON. Send application/json, or a type that ends in +json.",
    );
    expect(choose([form])).toBe("The request has no Content-Type. Send application/x-www-form-urlencoded.");
    expect(choose([form], "application/x-www-form-urlencoded; charset=utf-7")).toBe(
      "The charset in the Content-Type is unknown. Send the body in UTF-8.",
    );
    for (const encoding of ["zstd", "compress", "gzip, gzip, gzip, gzip"])
      expect(choose([text], "text/plain", encoding)).toBe(
        "The Content-Encoding is not supported. Send gzip, deflate or br, or turn off compression in the sender.",
      );
    for (const encoding of ["gzip", "X-GZIP", "deflate, br", "identity", "", "identity, gzip"])
      expect(choose([text], "text/plain", encoding)).toBe("text");
  });
});

describe("a form", () => {
  test("is an object of strings, and a repeated field an array", async () => {
    expect(await parse(form, "a=1&b=x+y%21&b=z&c=&__proto__=p&constructor=q")).toEqual(
      JSON.parse('{"a":"1","b":["x y!","z"],"c":"","__proto__":"p","constructor":"q"}'),
    );
  });

  test("is the JSON in its field, as GitHub and Slack send it", async () => {
    expect(await parse(payload, `payload=${encodeURIComponent('{"action":"opened","n":[1]}')}&other=1`)).toEqual({
      action: "opened",
      n: [1],
    });
  });

  test("without its field, with two of them, or without JSON in it is rejected, without quoting it", async () => {
    expect(await fault(payload, "other=1")).toBe(
      'invalid_body: The form has no field "payload", which contains the JSON.',
    );
    expect(await fault(payload, "payload=1&payload=2")).toBe(
      'invalid_body: The form has the field "payload" more than once.',
    );
    expect(await fault(payload, "payload=%7B%0A'secret'")).toMatch(
      /^invalid_json: Field "payload" of the form: Line 2, column 1: [^']*\.$/,
    );
    expect(await fault(form, new Uint8Array([0x61, 0x3d, 0xff]))).toBe(
      "invalid_body at /a: A field of the form is not valid UTF-8. Send UTF-8, or name the charset in Content-Type.",
    );
  });
});

describe("a multipart form", () => {
  const type = "multipart/form-data; boundary=XX";
  const png = Uint8Array.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x00, 0xff]);
  const body = Buffer.concat([
    Buffer.from('--XX\r\nContent-Disposition: form-data; name="from"\r\n\r\nAda <ada@example.com>\r\n'),
    Buffer.from('--XX\r\nContent-Disposition: form-data; name="to"\r\n\r\nü\r\n'),
    Buffer.from(
      '--XX\r\nContent-Disposition: form-data; name="attachment1"; filename="a b.png"\r\nContent-Type: image/png\r\n\r\n',
    ),
    png,
    Buffer.from("\r\n--XX--\r\n"),
  ]);

  test("has strings, and files that refer to their bytes", async () => {
    expect(await parse(multipart, body, type)).toEqual({
      from: "Ada <ada@example.com>",
      to: "ü",
      attachment1: {
        filename: "a b.png",
        contentType: "image/png",
        size: 8,
        sha256: "817fa18dd0a40dcb0dc6f5988ac037b57b9f9273f5066c8b0fe65b3f8aabdaed",
        path: "/api/v1/deliveries/dlv_1/files/0",
      },
    });
    const file = readFile(body, type, 0);
    expect([file?.filename, file?.bytes]).toEqual(["a b.png", Buffer.from(png)]);
    expect(readFile(body, type, 1)).toBeNull();
  });

  test("that is cut off or has another boundary is rejected", async () => {
    for (const [broken, contentType] of [
      [body.subarray(0, 40), type],
      [body, "multipart/form-data; boundary=YY"],
      [body, "multipart/form-data"],
    ] as const)
      expect(await fault(multipart, broken as Buffer<ArrayBuffer>, contentType)).toMatch(
        /^invalid_body: The body is not a valid multipart form/,
      );
  });
});

test("text is a string, and bytes are a string in base64", async () => {
  expect(await parse(text, "a\nü")).toBe("a\nü");
  expect(await fault(text, new Uint8Array([0xff]))).toBe("invalid_body: The body is not valid UTF-8.");
  expect(await parse(bytes, new Uint8Array([0xff, 0x00]))).toBe("/wA=");
  expect(await parse(bytes, "")).toBe("");
});

describe("every test event", () => {
  const strings = fc.dictionary(
    fc.string({ minLength: 1 }).filter((name) => name.isWellFormed() && !/[\r\n"]/.test(name)),
    fc.oneof(
      fc.string().filter((value) => value.isWellFormed()),
      fc.array(
        fc.string().filter((value) => value.isWellFormed()),
        { minLength: 2, maxLength: 3 },
      ),
    ),
    { minKeys: 1, noNullPrototype: true },
  );

  test("is received as it was written, in each format", async () => {
    await fc.assert(
      fc.asyncProperty(strings, fc.string(), async (fields, word) => {
        const cases: [BodyFormat, unknown][] = [
          [form, fields],
          [payload, fields],
          [text, word.toWellFormed().replace(/^\uFEFF/, "")],
          [bytes, Buffer.from(word).toString("base64")],
        ];
        for (const [format, value] of cases) {
          const encoded = encodeBody(format, JSON.stringify(value));
          expect(await parse(format, encoded?.body ?? "", encoded?.contentType)).toEqual(value);
        }
      }),
      { numRuns: 100 },
    );
  });

  test("keeps every number in its notation, also in the fields of a form", async () => {
    const numbers = ["9007199254740993", "1e400", "1.0", "-0", "1.2345678901234567890e19", "0.10", "1E+2"];
    for (const format of [form, multipart])
      for (const number of numbers) {
        const encoded = encodeBody(format, `{"a": ${number}, "b": [${number}, "x"], "c": {"d": [${number}]}}`);
        expect(await parse(format, encoded?.body ?? "", encoded?.contentType)).toEqual({
          a: number,
          b: [number, "x"],
          c: `{"d":[${number}]}`,
        });
      }
  });

  test("of a multipart form is received as it was written", async () => {
    const value = { a: "1", b: ["x\r\ny", "ü"] };
    const encoded = encodeBody(multipart, JSON.stringify(value));
    expect(await parse(multipart, encoded?.body ?? "", encoded?.contentType)).toEqual(value);
  });

  test("with another shape than its format is rejected before it is sent", () => {
    expect(encodeBody(form, "[1]")).toBeNull();
    expect(encodeBody(text, "{}")).toBeNull();
    expect(encodeBody(bytes, "1")).toBeNull();
    expect(encodeBody(multipart, "{")).toBeNull();
  });
});
