import { type Facts, textsOf, tightest } from "./facts-of.ts";
import { formatNameOf } from "./formats.ts";
import { type PlainPattern, readPattern } from "./read-pattern.ts";

const samples: Readonly<Record<string, string>> = {
  email: "ada@example.com",
  "idn-email": "ada@example.com",
  uri: "https://example.com/",
  url: "https://example.com/",
  uuid: "0198c1d2-7a30-7c3e-9d5b-4f1f0e6a2b11",
  guid: "0198c1d2-7a30-7c3e-9d5b-4f1f0e6a2b11",
  "date-time": "2026-01-31T12:00:00Z",
  date: "2026-01-31",
  time: "12:00:00",
  duration: "PT1H",
  ipv4: "192.0.2.1",
  ipv6: "2001:db8::1",
  cidrv4: "192.0.2.0/24",
  cidrv6: "2001:db8::/32",
  mac: "00:00:5E:00:53:01",
  hostname: "example.com",
  e164: "+4915112345678",
  emoji: "🚦",
  base64: "dGV4dA==",
  base64url: "dGV4dA",
  hex: "74657874",
  jwt: "eyJhbGciOiJIUzI1NiIsInR5cCI6IkpXVCJ9.eyJzdWIiOiJhZGEifQ.c2lnbmF0dXJl",
  ulid: "01KGA4B7S0E1X8Z3QK5V9M2T6N",
  nanoid: "V1StGXR8_Z5jdHi6B-myT",
  cuid: "cjld2cjxh0000qzrmn831i7rn",
  cuid2: "tz4a98xxat96iws9zmbrgj3a",
  xid: "9m4e2mr0ui3e8a215n4g",
  ksuid: "0ujtsYcgvSTl8PAuAdqWYSMnLOv",
  lowercase: "text",
  uppercase: "TEXT",
};

/** How many characters a hash has, in hexadecimal. */
const hashLengths: Readonly<Record<string, number>> = { md5: 32, sha1: 40, sha256: 64, sha384: 96, sha512: 128 };

/** A text that has the formats, the pieces and the length that are asked for, as far as these can be read. */
export function exampleString(facts: Facts): string {
  const patterns = textsOf(facts, "pattern");
  const format = [...textsOf(facts, "format"), ...textsOf(facts, "contentEncoding"), ...patterns.flatMap((pattern) => formatNameOf(pattern) ?? [])][0];
  const plain = patterns.flatMap((pattern) => (formatNameOf(pattern) === null ? (readPattern(pattern) ?? []) : []));
  const fixed = plain.find(({ kind }) => kind === "is")?.texts[0];
  if (fixed !== undefined) return fixed;
  return toLength(withPieces(sampleOf(format), plain), facts);
}

function sampleOf(format: string | undefined): string {
  if (format === undefined) return "text";
  const hash = /^(\w+?)_hex$/.exec(format)?.[1];
  if (hash !== undefined && Object.hasOwn(hashLengths, hash)) return "0123456789abcdef".repeat(8).slice(0, hashLengths[hash]);
  return Object.hasOwn(samples, format) ? (samples[format] ?? "text") : "text";
}

function withPieces(sample: string, pieces: readonly PlainPattern[]): string {
  const textOf = (kind: PlainPattern["kind"]) => pieces.filter((piece) => piece.kind === kind).map(({ texts }) => texts[0] ?? "");
  const [start = ""] = textOf("starts");
  const [end = ""] = textOf("ends");
  const inner = textOf("contains").filter((text) => !start.includes(text) && !end.includes(text) && !sample.includes(text));
  // A URL or an address keeps its beginning, or its name, where only its end is asked for.
  const body = end.startsWith("@") ? "ada" : start !== "" && sample.startsWith(start) ? sample.slice(start.length) : sample;
  const middle = start.includes("://") && sample.includes("://") ? "" : body;
  return `${start}${middle}${inner.join("")}${end !== "" && middle.endsWith(end) ? "" : end}`;
}

function toLength(text: string, facts: Facts): string {
  const least = tightest(facts, "minLength", Math.max) ?? 0;
  const most = tightest(facts, "maxLength", Math.min) ?? Infinity;
  return text.padEnd(Math.min(least, 10_000), "x").slice(0, most);
}
