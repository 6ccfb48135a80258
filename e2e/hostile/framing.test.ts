import * as fc from "fast-check";
import { expect } from "vitest";
import { withHostileService } from "./hostile-service.ts";
import { exchange } from "./raw-exchange.ts";

const it = withHostileService();
const ada = '{"name":"Ada"}';
const eve = '{"name":"Eve"}';
const rejections = new Set([400, 413, 431]);
const allowed = [200, 202, 400, 401, 404, 405, 408, 413, 415, 422, 431];

it("requests with ambiguous framing, or that are not HTTP, get one 4xx and a closed connection; smuggled requests are never executed", async ({
  hostile: { port, key, countRuns },
}) => {
  const runsBefore = await countRuns();
  const hidden = `POST /triggers/signup HTTP/1.1\r\nHost: x\r\nX-Api-Key: ${key}\r\nContent-Type: application/json\r\nContent-Length: ${eve.length}\r\n\r\n${eve}`;
  const head = (...lines: string[]) =>
    `POST /triggers/signup HTTP/1.1\r\nHost: x\r\nX-Api-Key: ${key}\r\nContent-Type: application/json\r\n${lines.map((line) => `${line}\r\n`).join("")}\r\n`;
  const chunked = `${ada.length.toString(16)}\r\n${ada}\r\n0\r\n\r\n`;
  const attacks: Record<string, string> = {
    "two lengths that differ": head(`Content-Length: ${ada.length}`, "Content-Length: 3") + ada,
    "two lengths that agree": head(`Content-Length: ${ada.length}`, `Content-Length: ${ada.length}`) + ada,
    "a list of lengths": head(`Content-Length: ${ada.length}, ${ada.length}`) + ada,
    "a length with a sign": head(`Content-Length: +${ada.length}`) + ada,
    "a negative length": head("Content-Length: -1"),
    "a length in hexadecimal": head("Content-Length: 0xe") + ada,
    "a length over 64 bits": head("Content-Length: 99999999999999999999999"),
    "a length and chunks": head(`Content-Length: ${ada.length}`, "Transfer-Encoding: chunked") + chunked,
    "chunks and a length of nothing": head("Transfer-Encoding: chunked", "Content-Length: 0") + chunked,
    "a coding that is not chunked": head("Transfer-Encoding: identity") + chunked,
    "chunked, and something behind it": head("Transfer-Encoding: chunked, identity") + chunked,
    "a coding that nearly is": head("Transfer-Encoding: xchunked") + chunked,
    "a coding behind a control character": head("Transfer-Encoding: \x0bchunked") + chunked,
    "a coding that came folded": head("Transfer-Encoding:\r\n chunked", `Content-Length: ${ada.length}`) + ada,
    "a space before the colon": head(`Content-Length : ${ada.length}`) + ada,
    "a chunk of no size": `${head("Transfer-Encoding: chunked")}\r\n${ada}\r\n0\r\n\r\n`,
    "a chunk whose size is a word": `${head("Transfer-Encoding: chunked")}zz\r\n${ada}\r\n0\r\n\r\n`,
    "a chunk with a negative size": `${head("Transfer-Encoding: chunked")}-e\r\n${ada}\r\n0\r\n\r\n`,
    "a chunk with a size over 64 bits": `${head("Transfer-Encoding: chunked")}fffffffffffffffff\r\n${ada}\r\n0\r\n\r\n`,
    "a chunk that is longer than it says": `${head("Transfer-Encoding: chunked")}2\r\n${ada}\r\n0\r\n\r\n`,
    "a chunk line that ends in a bare line feed": `${head("Transfer-Encoding: chunked")}e\n${ada}\n0\n\n`,
    "an endless chunk extension": `${head("Transfer-Encoding: chunked")}e;${"x".repeat(100_000)}\r\n${ada}\r\n0\r\n\r\n`,
    "bare line feeds": head(`Content-Length: ${ada.length}`).replaceAll("\r\n", "\n") + ada,
    "a bare line feed within the head": `${head("X-Note: a\nX-Other: b", `Content-Length: ${ada.length}`)}${ada}`,
    "a bare carriage return in a value": `${head("X-Note: a\rb", `Content-Length: ${ada.length}`)}${ada}`,
    "a NUL in a value": `${head("X-Note: a\0b", `Content-Length: ${ada.length}`)}${ada}`,
    "a NUL in a name": `${head("X-No\0te: a", `Content-Length: ${ada.length}`)}${ada}`,
    "a NUL in the path": `POST /triggers/sign\0up HTTP/1.1\r\nHost: x\r\n\r\n`,
    "a space in the path": `POST /triggers/signup HTTP/1.1 HTTP/1.1\r\nHost: x\r\n\r\n`,
    "a line with no colon": head("no colon here"),
    "a header line of 64 KiB": head(`X-Long: ${"x".repeat(65_536)}`),
    "five thousand headers": head(...Array.from({ length: 5000 }, (_, n) => `X-${n}: a`)),
    "a path of 64 KiB": `POST /triggers/${"x".repeat(65_536)} HTTP/1.1\r\nHost: x\r\n\r\n`,
    "the preface of HTTP/2": "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n",
    "a version that there is not": head(`Content-Length: ${ada.length}`).replace("HTTP/1.1", "HTTP/9.9") + ada,
    "HTTP/0.9": "GET /triggers/signup\r\n",
    "a TLS hello": "\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03",
    "no host": head(`Content-Length: ${ada.length}`).replace("Host: x\r\n", "") + ada,
    "two hosts": head("Host: y", `Content-Length: ${ada.length}`) + ada,
    "a method that there is not": head(`Content-Length: ${ada.length}`).replace("POST", "GROW") + ada,
  };
  for (const [name, bytes] of Object.entries(attacks)) {
    const answers = await exchange(port, bytes + hidden);
    expect(
      answers.map(({ status }) => status),
      name,
    ).toEqual([expect.toSatisfy((status) => rejections.has(status))]);
    expect(answers[0]?.head, name).toMatch(/^connection: close\r?$/im);
  }
  expect(await countRuns()).toBe(runsBefore);
  // The same without a fault.
  const whole = await exchange(port, head("Connection: close", `Content-Length: ${ada.length}`) + ada);
  expect(whole.map(({ status }) => status)).toEqual([202]);
  expect(await countRuns()).toBe(runsBefore + 1);

  // Many at once on one connection: each its own answer, in their order.
  const numbers = Array.from({ length: 60 }, (_, n) => n);
  const bodies = numbers.map((n) => (n % 3 === 0 ? ada : n % 3 === 1 ? "{}" : "nonsense"));
  const answers = await exchange(
    port,
    bodies
      .map((body, n) => head(`Content-Length: ${body.length}`, ...(n === 59 ? ["Connection: close"] : [])) + body)
      .join(""),
  );
  expect(answers.map(({ status }) => status)).toEqual(numbers.map((n) => [202, 422, 400][n % 3]));
  expect(await countRuns()).toBe(runsBefore + 21);
});

const canary = "canary-key-that-is-wrong";
const method = fc.oneof(
  { weight: 3, arbitrary: fc.constant("POST") },
  fc.constantFrom("GET", "PUT", "DELETE", "PATCH", "HEAD", "OPTIONS", "TRACE", "CONNECT", "PROPFIND", "post", "PO ST"),
);
const pathPiece = fc.constantFrom(
  "/",
  "//",
  "\\",
  "..",
  ".",
  "triggers",
  "signup",
  "billing",
  "anything",
  "%2f",
  "%2F",
  "%5c",
  "%00",
  "%zz",
  "%",
  "%ff",
  "%c0%af",
  "%2e%2e",
  ";",
  "#",
  "@",
  "*",
  "\x80",
  "http://evil.example",
  "constructor",
  "__proto__",
  "_next/data",
  "api/v1",
);
const target = fc.oneof(
  { weight: 2, arbitrary: fc.constantFrom("/triggers/signup", "/triggers/anything") },
  fc.constantFrom(
    "/triggers/signup",
    "/triggers/signup/",
    "/triggers//signup",
    "//triggers/signup",
    "/triggers/anything",
    "http://evil.example/triggers/signup",
    "/triggers/../signup",
    "*",
  ),
  fc.array(pathPiece, { minLength: 1, maxLength: 6 }).map((pieces) => `/triggers/${pieces.join("")}`),
);
const line = fc.oneof(
  fc.constantFrom(
    "RSC: 1",
    "Next-Action: abc",
    "x-middleware-subrequest: middleware:middleware:middleware",
    "x-nextjs-data: 1",
    "Next-Router-Prefetch: 1",
    "x-forwarded-host: evil.example",
    "x-forwarded-proto: https",
    "X-HTTP-Method-Override: DELETE",
    "x-original-url: /api/v1/keys",
    "x-rewrite-url: /api/v1/keys",
    "x-invoke-path: /",
    "Range: bytes=0-",
    "If-None-Match: *",
    "Upgrade: websocket",
    "Upgrade: h2c",
    "Connection: keep-alive, Upgrade, close",
    "Expect: 100-continue",
    "Expect: something",
    "TE: trailers",
    "Host: evil.example",
    "Content-Encoding: gzip",
    "Content-Type: text/plain",
    "Content-Type: application/json; charset=utf-16",
    "Idempotency-Key: a",
    `Cookie: ${canary}`,
    "Accept: text/html",
    "Origin: null",
    "__proto__: a",
    "Transfer-Encoding: chunked",
    "Transfer-Encoding: gzip",
    "Content-Length: 0",
    "Content-Length: 5",
    " folded",
  ),
  fc
    .tuple(
      fc.constantFrom("x", "content-type", "referer", "cookie", "idempotency-key"),
      fc.string({ maxLength: 20, unit: "binary" }),
    )
    .map(([name, value]) => `${name}: ${value}`),
);
const body = fc.oneof(
  fc.constantFrom(
    ada,
    '{"name":1}',
    "{}",
    "[",
    "",
    "0",
    "null",
    '"\\ud800"',
    '{"__proto__":{"name":"Ada"}}',
    '{"constructor":{"prototype":1}}',
    "\xef\xbb\xbf{}",
    "\xff",
    'e\r\n{"name":"Ada"}\r\n0\r\n\r\n',
    "[".repeat(10_000),
  ),
  fc.json(),
);
const query = fc.oneof(
  { weight: 2, arbitrary: fc.constant("?token=KEY") },
  fc.constantFrom(
    "",
    "?",
    "?api_key=KEY",
    `?token=${canary}`,
    `?token=KEY&api_key=${canary}`,
    "?token=%4bEY%zz",
    `?${canary}`,
    "?token=KEY&token=KEY",
    "?tok%65n=KEY",
  ),
);

interface RawRequest {
  method: string;
  target: string;
  /** `KEY` is replaced by a valid key. */
  query: string;
  lines: readonly string[];
  body: string;
  /** Whether it has the headers of a JSON body. */
  isSized: boolean;
}

const malformed: fc.Arbitrary<RawRequest> = fc.record({
  method,
  target,
  query,
  lines: fc.oneof(fc.constant([]), fc.array(line, { maxLength: 4 })),
  body,
  isSized: fc.boolean(),
});
const accepted = {
  method: "POST",
  target: "/triggers/signup",
  query: "?token=KEY",
  lines: [],
  body: ada,
  isSized: true,
};
/** One for each status that random requests are likely to get, too. */
const examples: [RawRequest][] = [
  [accepted],
  [{ ...accepted, body: "[" }],
  [{ ...accepted, query: "" }],
  [{ ...accepted, target: "/triggers/nowhere" }],
  [{ ...accepted, method: "PUT" }],
  [{ ...accepted, isSized: false, lines: [`Content-Length: ${ada.length}`] }],
  [{ ...accepted, body: '{"name":1}' }],
];

it("no malformed request below /triggers gets a redirect, a 5xx, or a response that contains a key", async ({
  hostile: { port, key, child },
}) => {
  const statuses = new Set<number>();
  await fc.assert(
    fc.asyncProperty(malformed, async (p) => {
      const path = `${p.target}${p.query}`.replaceAll("KEY", key);
      const lines = [
        "Host: x",
        ...p.lines,
        ...(p.isSized
          ? ["Content-Type: application/json", `Content-Length: ${Buffer.byteLength(p.body, "latin1")}`]
          : []),
      ];
      const answers = await exchange(
        port,
        `${p.method} ${path} HTTP/1.1\r\n${lines.map((text) => `${text}\r\n`).join("")}\r\n${p.body}`,
        { endsAfter: true },
      );
      for (const { status, head, body: text } of answers.filter((answer) => answer.status !== 100)) {
        statuses.add(status);
        expect(allowed).toContain(status);
        expect(head).not.toMatch(/^(access-control|refresh|set-cookie)/im);
        expect(head).not.toMatch(/^location: (?!\/api\/v1\/runs\/run_)/im);
        expect(head + text).not.toContain(canary);
        expect(head + text).not.toContain(key);
      }
    }),
    { numRuns: 300, examples },
  );
  // At least the examples passed the first check.
  expect([...statuses]).toEqual(expect.arrayContaining([202, 400, 401, 404, 405, 415, 422]));
  expect(child.exitCode).toBeNull();
});
