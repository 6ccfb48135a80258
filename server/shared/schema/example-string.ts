import { type Facts, textsOf, tightest } from "./facts-of.ts";
import { formatNameOf, type PlainPattern, readPattern } from "./formats.ts";
import { samplePattern } from "./sample-pattern.ts";

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

/** The number of hexadecimal characters of a hash. */
const hashLengths: Readonly<Record<string, number>> = { md5: 32, sha1: 40, sha256: 64, sha384: 96, sha512: 128 };

/** Used if the usual sample is too long, or the schema requires another precision or version. */
const otherSamples: Readonly<Record<string, readonly string[]>> = {
  email: ["a@b.co"],
  uri: ["a:b"],
  uuid: ["6b1f7f3e-4c2a-4d8e-9a51-0f3c2d7b8e64"],
  "date-time": ["2026-01-31T12:00:00.000Z", "2026-01-31T12:00Z", "2026-01-31T12:00:00"],
  time: ["12:00:00.000", "12:00"],
};

/** A string that satisfies the formats, the patterns and the length, as far as these can be interpreted. */
export function exampleString(facts: Facts): string {
  const patterns = textsOf(facts, "pattern");
  const format = [
    ...textsOf(facts, "format"),
    ...textsOf(facts, "contentEncoding"),
    ...patterns.flatMap((pattern) => formatNameOf(pattern) ?? []),
  ][0];
  const plain = patterns.flatMap((pattern) => (formatNameOf(pattern) === null ? (readPattern(pattern) ?? []) : []));
  const fixed = plain.find(({ kind }) => kind === "is")?.texts[0];
  if (fixed !== undefined) return fixed;
  const least = tightest(facts, "minLength", Math.max) ?? 0;
  const most = tightest(facts, "maxLength", Math.min) ?? Infinity;
  const usual = withPieces(sampleOf(format), plain);
  const sized = usual.padEnd(Math.min(least, maxLetters), "x").slice(0, most);
  const isOther = format !== undefined && usual.length > most && Object.hasOwn(samples, format);
  const fits = (text: string) =>
    text.length >= Math.min(least, maxLetters) &&
    text.length <= most &&
    patterns.every((pattern) => isMatch(pattern, text));
  if (!isOther && fits(sized)) return sized;
  const others = [
    ...(format !== undefined && Object.hasOwn(otherSamples, format) ? (otherSamples[format] ?? []) : []),
    withPieces("", plain),
  ];
  return (
    others.find(fits) ??
    patterns.map((pattern) => samplePattern(pattern, Math.min(least, maxLetters)) ?? "").find(fits) ??
    sized
  );
}

const maxLetters = 10_000;
const maxMatched = 1_000;

/** Plain patterns are compared, not matched: `.*end$` would search from every position of a long string. */
function isMatch(pattern: string, text: string): boolean {
  const plain = readPattern(pattern);
  if (plain) return plain.texts.some((piece) => has[plain.kind](text, piece));
  if (text.length > maxMatched) return true;
  try {
    return new RegExp(pattern, "u").test(text);
  } catch {
    return true;
  }
}

const has: Record<PlainPattern["kind"], (text: string, piece: string) => boolean> = {
  is: (text, piece) => text === piece,
  starts: (text, piece) => text.startsWith(piece),
  ends: (text, piece) => text.endsWith(piece),
  contains: (text, piece) => text.includes(piece),
};

function sampleOf(format: string | undefined): string {
  if (format === undefined) return "text";
  const hash = /^(\w+?)_hex$/.exec(format)?.[1];
  if (hash !== undefined && Object.hasOwn(hashLengths, hash))
    return "0123456789abcdef".repeat(8).slice(0, hashLengths[hash]);
  return Object.hasOwn(samples, format) ? (samples[format] ?? "text") : "text";
}

function withPieces(sample: string, pieces: readonly PlainPattern[]): string {
  const textOf = (kind: PlainPattern["kind"]) =>
    pieces.filter((piece) => piece.kind === kind).map(({ texts }) => texts[0] ?? "");
  const [start = ""] = textOf("starts");
  const [end = ""] = textOf("ends");
  const inner = textOf("contains").filter(
    (text) => !start.includes(text) && !end.includes(text) && !sample.includes(text),
  );
  // A URL or an address keeps its beginning, or its name, if only its end is constrained.
  const body = end.startsWith("@")
    ? "ada"
    : start !== "" && sample.startsWith(start)
      ? sample.slice(start.length)
      : sample;
  const middle = start.includes("://") && sample.includes("://") ? "" : body;
  return `${start}${middle}${inner.join("")}${end !== "" && middle.endsWith(end) ? "" : end}`;
}
