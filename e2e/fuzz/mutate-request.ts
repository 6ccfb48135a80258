import { brotliCompressSync, deflateSync, gzipSync } from "node:zlib";
import * as fc from "fast-check";
import type { Draw } from "./draw.ts";
import { mutateJson } from "./mutate-json.ts";
import type { FuzzRequest } from "./request.ts";

type Mutation = (draw: Draw, request: FuzzRequest) => void;

const pathPieces: readonly string[] = [
  "/",
  "//",
  "\\",
  "..",
  ".",
  "/../",
  "%2f",
  "%5c",
  "%00",
  "%zz",
  "%",
  "%ff",
  "%c0%af",
  "%ed%a0%80",
  "%2e%2e",
  ";",
  "#",
  "@",
  "*",
  "\x80",
  "\x01",
  "constructor",
  "__proto__",
  "_next/data",
  ".rsc",
  ".json",
  "[id]",
];

const hosts: readonly string[] = [
  "",
  "1.2.3.4.5.6",
  "evil.example",
  "localhost:99999",
  "localhost:-1",
  "[::1]",
  "[::1",
  "[::%25eth0]",
  "a".repeat(300),
  "xn--",
  "xn--a-.example",
  "é",
  "0x7f.1",
  "user@localhost",
  "localhost/path",
  "local host",
  "%6c",
  "a..b",
  ".",
  "*",
  "signalbox, other",
];

/** Headers that some server, framework or proxy acts on. */
const knownHeaders: readonly (readonly [string, string])[] = [
  ["RSC", "1"],
  ["Next-Action", "7f0123456789"],
  ["Next-Router-State-Tree", "%5B%22%22%5D"],
  ["Next-Router-State-Tree", "%zz"],
  ["Next-Router-Prefetch", "1"],
  ["Next-Router-Segment-Prefetch", "/_tree"],
  ["Next-Url", "/runs"],
  ["x-middleware-subrequest", "middleware:middleware:middleware:middleware:middleware"],
  ["x-middleware-prefetch", "1"],
  ["x-nextjs-data", "1"],
  ["x-invoke-path", "/"],
  ["x-matched-path", "/settings"],
  ["x-now-route-matches", "1=a"],
  ["x-forwarded-host", "evil.example"],
  ["x-forwarded-host", "1.2.3.4.5.6"],
  ["x-forwarded-proto", "https, ftp"],
  ["x-forwarded-for", "1.2.3.4, unknown, \x80"],
  ["x-forwarded-port", "99999"],
  ["Forwarded", "for=1.2.3.4;host=evil"],
  ["X-HTTP-Method-Override", "DELETE"],
  ["x-original-url", "/api/v1/keys"],
  ["signalbox-peer", "guess 127.0.0.1 1.1"],
  ["Range", "bytes=0-"],
  ["Range", "bytes=5-1,-0,9999999999999999999-"],
  ["If-None-Match", "*"],
  ["If-Modified-Since", "yesterday"],
  ["Upgrade", "websocket"],
  ["Upgrade", "h2c"],
  ["Connection", "Upgrade, HTTP2-Settings"],
  ["Connection", "Host, Content-Length"],
  ["Expect", "100-continue"],
  ["Expect", "something"],
  ["TE", "trailers"],
  ["Trailer", "Content-Length"],
  ["Content-Encoding", "gzip"],
  ["Content-Encoding", "gzip, br, deflate"],
  ["Content-Encoding", "identity"],
  ["Content-Type", "text/plain"],
  ["Content-Type", "application/json; charset=utf-16"],
  ["Content-Type", "application/json; charset=nonsense"],
  ["Content-Type", "application/x-www-form-urlencoded"],
  ["Content-Type", "multipart/form-data"],
  ["Content-Type", 'multipart/form-data; boundary="'],
  ["Content-Type", "multipart/form-data; boundary=x"],
  ["Content-Type", ""],
  ["Content-Type", "\xff/\xff"],
  ["Accept", "text/html"],
  ["Accept", "text/event-stream"],
  ["Accept", ","],
  ["Accept-Encoding", "gzip, br, zstd"],
  ["Accept-Language", "xx-invalid-\x80, *;q=9"],
  ["Origin", "null"],
  ["Origin", "http://evil.example"],
  ["Referer", "http://"],
  ["Sec-Fetch-Site", "cross-site"],
  ["Cookie", "signalbox_session=; a"],
  ["Cookie", `${"a=b; ".repeat(500)}c`],
  ["Cookie", "__proto__=1; signalbox_session=sbt_guess; signalbox_session=%zz"],
  ["Authorization", "Bearer"],
  ["Authorization", "Basic ="],
  ["Authorization", "Basic aG9vazo="],
  ["Authorization", `Bearer ${"a".repeat(5_000)}`],
  ["Idempotency-Key", "a"],
  ["Idempotency-Key", "k".repeat(5_000)],
  ["webhook-id", ""],
  ["webhook-timestamp", "1e400"],
  ["X-Hub-Signature-256", "sha256="],
  ["Last-Event-ID", "\xff"],
  ["traceparent", "00-00000000000000000000000000000000-0000000000000000-zz"],
  ["tracestate", "a=".repeat(500)],
  ["baggage", "a=b;c, %zz=%zz"],
  ["mcp-protocol-version", "9999-99-99"],
  ["mcp-session-id", "\x80"],
  ["__proto__", "a"],
  ["constructor", "a"],
  ["trpc-accept", "application/jsonl"],
  ["X-Trpc-Source", "nextjs-react"],
];

const mutations: Readonly<Record<string, Mutation>> = {
  method(draw, request) {
    const known = [
      "GET",
      "POST",
      "PUT",
      "DELETE",
      "PATCH",
      "HEAD",
      "OPTIONS",
      "TRACE",
      "PROPFIND",
      "QUERY",
      "M-SEARCH",
    ];
    const odd = ["CONNECT", "post", "PO ST", "", "GROW", "G\x80T", "X".repeat(3_000)];
    request.method = draw.pick(draw.chance(0.8) ? known : odd);
  },
  path(draw, request) {
    const [path = "", ...query] = request.target.split("?");
    const at = draw.between(1, path.length);
    const piece = draw.chance(0.8)
      ? draw.pick(pathPieces)
      : draw.pick(["a", "%41", "/x"]).repeat(draw.between(100, 4_000));
    request.target = [path.slice(0, at) + piece + path.slice(at), ...query].join("?");
  },
  "target form"(draw, request) {
    const { target } = request;
    const prefix = draw.pick(["http://evil.example", "http://", "HTTPS://a:b@c:1", "//evil.example", "?", "ftp:", ""]);
    request.target = draw.chance(0.1) ? draw.pick(["*", "", "evil.example:443", "/", "?"]) : prefix + target;
  },
  query(draw, request) {
    const { target } = request;
    const [path = "", query = ""] = target.split("?", 2);
    const pairs = query === "" ? [] : query.split("&");
    const name =
      pairs.length > 0 ? (draw.pick(pairs).split("=")[0] ?? "") : draw.pick(["a", "limit", "cursor", "text"]);
    const value = draw.chance(0.7)
      ? draw.pick([
          "",
          "-1",
          "1e9",
          "NaN",
          "%00",
          "%zz",
          "%ed%a0%80",
          "%f0%9f%a7%aa",
          "[]",
          "{}",
          "null",
          "*",
          "'",
          "%22",
          "%5c",
          "2026-02-30",
          "P1Y",
          "__proto__",
        ])
      : "9".repeat(draw.between(20, 8_000));
    const pair = `${draw.chance(0.8) ? name : draw.pick([`${name}[]`, `${name}[a]`, "__proto__", "", "token", "api_key"])}=${value}`;
    if (draw.chance(0.5)) pairs.push(...Array<string>(draw.chance(0.9) ? 1 : draw.between(2, 600)).fill(pair));
    else pairs.splice(draw.between(0, pairs.length), 1, pair);
    request.target = `${path}?${pairs.join(draw.chance(0.9) ? "&" : ";")}`;
  },
  "known header"(draw, { headers }) {
    const [name, value] = draw.pick(knownHeaders);
    headers.splice(draw.between(0, headers.length), 0, [name, value]);
  },
  "repeated header"(draw, { headers }) {
    const known = headers.length > 0 ? draw.pick(headers) : null;
    const [name, value]: readonly [string, string] = known && draw.chance(0.6) ? known : draw.pick(knownHeaders);
    const count = draw.chance(0.7) ? 1 : draw.between(2, 1_200);
    headers.push(...Array.from({ length: count }, (): [string, string] => [name, draw.chance(0.5) ? value : ""]));
  },
  host(draw, { headers }) {
    const at = headers.findIndex(([name]) => name === "Host");
    if (draw.chance(0.1)) headers.splice(at, 1);
    else headers.splice(at, draw.chance(0.9) ? 1 : 0, ["Host", draw.pick(hosts)]);
  },
  "header value"(draw, { headers }) {
    const header = draw.pick(headers);
    header[1] = draw.chance(0.7)
      ? Buffer.from(draw.of(fc.uint8Array({ maxLength: 60 })).filter((byte) => byte !== 10 && byte !== 13)).toString(
          "latin1",
        )
      : "v".repeat(draw.between(1_000, 20_000));
  },
  "header name"(draw, { headers }) {
    const header = draw.pick(headers);
    header[0] = draw.pick([
      `${header[0]} `,
      ` ${header[0]}`,
      header[0].toUpperCase(),
      `${header[0]}\0`,
      "",
      ":",
      `${header[0]}-x`,
      "\x80",
    ]);
  },
  "no header"(draw, { headers }) {
    headers.splice(draw.between(0, headers.length - 1), 1);
  },
  json(draw, { json }) {
    if (!json) return;
    json.text = mutateJson(draw, json.text);
    json.put(json.text);
  },
  bytes(draw, request) {
    const { body } = request;
    if (!body || body.length === 0) return;
    const changed = Buffer.from(body);
    for (let n = draw.between(1, 8); n > 0; n -= 1) changed[draw.between(0, changed.length - 1)] = draw.between(0, 255);
    request.body = changed;
  },
  "other body"(draw, request) {
    request.body = draw.chance(0.7)
      ? Buffer.from(
          draw.pick([
            "",
            "null",
            "0",
            '"',
            "{}",
            "[]",
            "a=b",
            "%zz=%zz",
            "&&==",
            "\ufeff{}",
            "<a/>",
            "--x\r\n\r\n--x--",
            "e\r\n{}\r\n0\r\n\r\n",
          ]),
        )
      : Buffer.alloc(draw.between(1, 400_000), draw.between(0, 255));
  },
  charset(draw, { body, headers, ...request }) {
    if (!body) return;
    const charset = draw.pick(["utf-16le", "iso-2022-jp", "gb18030", "windows-1252", "utf-7", "x-user-defined"]);
    headers.push([
      "Content-Type",
      `${request.method === "GET" ? "text/plain" : "application/json"}; charset=${charset}`,
    ]);
  },
  compression(draw, request) {
    if (!request.body) return;
    const large = draw.chance(0.2) ? Buffer.alloc(draw.between(1, 30) * 1_000_000, "[") : request.body;
    const [name, compress] = draw.pick([
      ["gzip", gzipSync],
      ["deflate", deflateSync],
      ["br", brotliCompressSync],
    ] as const);
    const bytes = compress(large);
    request.body = draw.chance(0.7) ? bytes : bytes.subarray(0, draw.between(0, bytes.length));
    request.headers.push(["Content-Encoding", draw.chance(0.8) ? name : "gzip, gzip"]);
  },
};

const jsonShare = 0.5;
/** The number of changes: mostly one, because a request with several is often rejected for one of them. */
const counts = [0, 1, 1, 1, 1, 1, 1, 2, 2, 3];

/** Changes a request, or leaves it as it is. Returns the names of its changes. */
export function mutateRequest(draw: Draw, request: FuzzRequest): string[] {
  return Array.from({ length: draw.pick(counts) }, () => {
    const name = request.json && draw.chance(jsonShare) ? "json" : draw.pick(Object.keys(mutations));
    if (request.headers.length > 0) mutations[name]?.(draw, request);
    return name;
  });
}
