import { checkNames, checkOptions } from "../check-shape.ts";
import type { SignatureFault, SignedRequest } from "../definition.ts";
import type { Duration } from "../duration.ts";
import {
  decodeSecret,
  fromAnyBase64,
  fromHex,
  hashBytes,
  type HashName,
  headerBytes,
  readSecrets,
  type Secret,
  type SecretEncoding,
} from "./secrets.ts";
import { explainUrl, readUrlOption, unknownUrl, urlOf } from "./public-url.ts";
import {
  type Verification,
  createVerification,
  fault,
  headerPattern,
  readHeaderName,
  readMilliseconds,
  readSeconds,
  readTolerance,
  writeBase64,
  writeHex,
  writeSeconds,
} from "./verification.ts";

/** Options of `hmac`. */
export interface HmacOptions {
  /** The sender's signing secret, at least 16 bytes; a list during a rotation. */
  secret: Secret;
  /**
   * Encoding of the secret, if the sender signs with its decoded bytes. `"base64"` includes base64url, with padding or
   * without it. Default: `"text"`, the bytes of the secret as it is written.
   */
  secretEncoding?: SecretEncoding;
  /**
   * The header that carries the signature, e.g. `"x-signature"`. It can have several signatures, separated by commas,
   * semicolons or spaces, as during a rotation: one of them must be valid. So must one in a list of headers. At most 16
   * signatures are checked.
   */
  header: string | readonly string[];
  /** Hash algorithm. Use `sha1` only for legacy senders. Default: `sha256`. */
  algorithm?: HashName;
  /** Encoding of the signature. Base64 can have padding or not. Default: `hex`, in upper or lower case. */
  encoding?: "hex" | "base64" | "base64url";
  /**
   * Prefix of each signature in its header, e.g. `"sha256="`, or `"v1="` in `t=1767225600,v1=…,v1=…`. Other entries of
   * the header are ignored. Upper and lower case are equal. Default: none.
   */
  prefix?: string;
  /**
   * Header with the Unix time of signing; it must be part of the signed content. `prefix` precedes the time if the
   * header has other entries, e.g. `"t="`. `unit` is `"s"` or `"ms"`. Default: `"s"`. `tolerance` is the maximum clock
   * difference, `"1s"` to `"24h"`. Default: 5 minutes.
   */
  timestamp?: { header: string; prefix?: string; unit?: "s" | "ms"; tolerance?: Duration };
  /**
   * Template of the signed content, e.g. `"v1:{header:x-request-id}:{timestamp}:{body}"`. `{body}` is the bytes of the
   * body, `{timestamp}` the value of the timestamp header, and `{header:x-request-id}` the value of another header.
   * `{method}` is the HTTP method, and `{url}` the public URL with its query. A name with a hyphen needs no `header:`.
   * All
   * other text is literal. Default: `"{body}"`; with a timestamp, `"{timestamp}.{body}"`.
   */
  signedContent?: string;
  /**
   * The value of `{url}`: the URL as in the sender's settings, with its key. Default: the setting `baseUrl`, with path
   * and query of the request. Without `baseUrl`, the host that the sender used.
   */
  url?: string | undefined;
}

/**
 * Verifies webhooks of any sender that signs with HMAC. Throws a TypeError if an option is invalid.
 *
 * @example
 *   import { hmac } from "signalbox/verify";
 *
 *   verify: hmac({ secret: process.env.CRM_SECRET, header: "x-crm-signature", prefix: "sha256=" });
 */
export function hmac(options: HmacOptions): Verification {
  checkOptions(options, "hmac", 'hmac({ secret: process.env.HMAC_SECRET, header: "x-signature" })');
  checkNames(options, "hmac", [
    "secret",
    "secretEncoding",
    "header",
    "algorithm",
    "encoding",
    "prefix",
    "timestamp",
    "signedContent",
    "url",
  ]);
  const { algorithm = "sha256", encoding = "hex", prefix = "", secretEncoding = "text", timestamp } = options;
  checkOneOf(secretEncoding, "secretEncoding", Object.keys(decodeSecret));
  const secrets = readSecrets(options, {
    scheme: "hmac",
    decode: decodeSecret[secretEncoding],
    form: `${secretEncoding === "hex" ? "hexadecimal" : secretEncoding}, which the option secretEncoding says`,
    hash: algorithm,
  });
  const headers = readHeaders(options.header);
  checkOneOf(algorithm, "algorithm", Object.keys(hashBytes));
  checkOneOf(encoding, "encoding", ["hex", "base64", "base64url"]);
  checkPrefix(prefix, "prefix", "sha256=");
  const time = timestamp && readTimestamp(timestamp);
  const parts = parseContent(options.signedContent ?? (time ? "{timestamp}.{body}" : "{body}"), time?.header ?? null);
  const signsUrl = parts.some((part) => "url" in part);
  const url = readUrlOption(options.url, "hmac");
  if (url !== null && !signsUrl)
    throw new TypeError("hmac: url is set, but signedContent does not contain {url}. Add {url}, or leave out url.");
  const bytes = hashBytes[algorithm];
  const decode = encoding === "hex" ? fromHex : fromAnyBase64;
  const entry = entryPattern(prefix);
  const timeOf = (request: SignedRequest, signature: string): string | null =>
    time ? readTimeEntry(time, sharesHeader ? signature : request.header(time.header)) : null;
  // A sender can put time and signatures into one header: `t=1767225600,v1=…`.
  const sharesHeader = time !== undefined && headers.includes(time.header);
  return createVerification(
    {
      name: "hmac",
      signatureHeader: (request) => headers.find((header) => request.header(header) !== null) ?? headers[0],
      proofHeaders: headers,
      form: `${prefix === "" ? "" : `${prefix} and `}${encoding === "hex" ? `${bytes * 2} hexadecimal digits` : `${bytes} bytes in ${encoding}`}`,
      readSignatures: (_, request) =>
        headers
          .flatMap((header) => [...(request.header(header) ?? "").matchAll(entry)])
          .map(([, text = ""]) => decode(text, bytes)),
      signed: (request, signature) =>
        signedParts(parts, request, {
          url,
          time: { header: time?.header ?? "", text: timeOf(request, signature) },
        }),
      seal: {
        headers: ({ receivedAtMs }): Record<string, string> =>
          time && !sharesHeader ? { [time.header]: time.prefix + writeTime(receivedAtMs, time.unit) } : {},
        write: (signature, { receivedAtMs }) =>
          `${time && sharesHeader ? `${time.prefix}${writeTime(receivedAtMs, time.unit)},` : ""}${prefix}${writers[encoding](signature)}`,
      },
      ...(signsUrl && {
        readsUrl: url === null,
        explainMismatch: (request: SignedRequest) => explainUrl(urlOf(request, url)),
      }),
      signedHeaders: parts.flatMap((part) => ("header" in part ? [part.header] : [])),
      ...(time && {
        time: {
          source: time.header,
          toleranceMs: time.toleranceMs,
          read: (request: SignedRequest, signature: string) => readTime(timeOf(request, signature), time.unit),
        },
      }),
      options: { headers, algorithm, encoding, secretEncoding, prefix, time, parts, url },
    },
    secrets,
  );
}

const writers = {
  hex: writeHex,
  base64: writeBase64,
  base64url: (signature: Uint8Array) => Buffer.from(signature).toString("base64url"),
};

/** At least one header. */
function readHeaders(given: unknown): readonly [string, ...string[]] {
  const [first, ...others]: readonly unknown[] = Array.isArray(given) ? given : [given];
  return [readHeaderName(first, "header", "hmac"), ...others.map((one) => readHeaderName(one, "header", "hmac"))];
}

function checkPrefix(prefix: unknown, option: string, example: string): void {
  if (typeof prefix === "string") return;
  throw new TypeError(
    `hmac: ${option} must be a string, but is ${JSON.stringify(prefix)}. Write ${option}: ${JSON.stringify(example)}, or leave it out.`,
  );
}

/**
 * Finds the entries of a header that start with a prefix. Entries are separated by commas, semicolons or white space,
 * and their values can be in quotes. The text after the prefix is captured.
 */
function entryPattern(prefix: string): RegExp {
  const escaped = prefix.replaceAll(/[.*+?^${}()|[\]\\/]/g, String.raw`\$&`);
  return new RegExp(String.raw`(?<![^,;\s])"?${escaped}"?([\w+/=-]+)"?(?![^,;\s])`, "gi");
}

/** The time in its header. With a prefix, exactly one entry has it: two would make the signed time ambiguous. */
function readTimeEntry({ entry }: Timestamp, text: string | null): string | null {
  if (entry === null || text === null) return text;
  const [first, ...others] = [...text.matchAll(entry)];
  return first && others.length === 0 ? (first[1] ?? null) : null;
}

type Part =
  | { text: string }
  | { header: string }
  | { timestamp: true }
  | { body: true }
  | { method: true }
  | { url: true };

function parseContent(content: unknown, timeHeader: string | null): Part[] {
  if (typeof content !== "string" || !content.includes("{body}")) throw wrongContent(content, "must contain {body}");
  if (timeHeader !== null && !content.includes("{timestamp}"))
    throw wrongContent(content, "must contain {timestamp}: an unsigned time gives no protection");
  if (timeHeader === null && content.includes("{timestamp}"))
    throw wrongContent(
      content,
      'contains {timestamp}, but the option timestamp is missing: add timestamp: { header: "…" }',
    );
  return content.split(/(\{[^{}]*\})/).flatMap((piece): Part[] => {
    const name = /^\{(.*)\}$/.exec(piece)?.[1];
    if (name === undefined) return piece === "" ? [] : [{ text: piece }];
    if (name === "body") return [{ body: true }];
    if (name === "method") return [{ method: true }];
    if (name === "url") return [{ url: true }];
    if (name === "timestamp" && timeHeader !== null) return [{ timestamp: true }];
    if (name.startsWith("header:"))
      return [{ header: readHeaderName(name.slice("header:".length), "signedContent", "hmac") }];
    // A single word could mean another part of the request, such as its URL.
    if (name.includes("-") && headerPattern.test(name)) return [{ header: name.toLowerCase() }];
    throw unknownPlaceholder(name);
  });
}

function unknownPlaceholder(name: string): TypeError {
  const header = headerPattern.test(name) ? ` For a header of this name, write {header:${name}}.` : "";
  return new TypeError(
    `hmac: signedContent contains the unknown placeholder {${name}}. Use {body}, {timestamp}, {method}, {url} or {header:<name>}.${header}`,
  );
}

function signedParts(
  parts: readonly Part[],
  request: SignedRequest,
  { url, time }: { url: string | null; time: { header: string; text: string | null } },
): (string | Uint8Array)[] | SignatureFault {
  const signed: (string | Uint8Array)[] = [];
  for (const part of parts) {
    if ("text" in part) signed.push(part.text);
    else if ("body" in part) signed.push(request.body);
    else if ("method" in part) signed.push(request.method);
    else if ("url" in part) {
      const used = urlOf(request, url);
      if (used === null) return unknownUrl("hmac");
      signed.push(used);
    } else if ("timestamp" in part) {
      if (time.text === null) {
        const isMissing = request.header(time.header) === null;
        const problem = isMissing ? ", which is signed, is missing" : " does not have exactly one time of signing";
        return fault("malformed", `The header ${time.header}${problem} (hmac).`);
      }
      signed.push(headerBytes(time.text));
    } else {
      const value = request.header(part.header);
      if (value === null) return fault("malformed", `The header ${part.header}, which is signed, is missing (hmac).`);
      signed.push(headerBytes(value));
    }
  }
  return signed;
}

interface Timestamp {
  header: string;
  prefix: string;
  /** Finds the time in its header. `null`: it is the whole header. */
  entry: RegExp | null;
  unit: "s" | "ms";
  toleranceMs: number;
}

function readTimestamp(timestamp: NonNullable<HmacOptions["timestamp"]>): Timestamp {
  checkOptions(timestamp, "hmac: timestamp", 'timestamp: { header: "x-timestamp" }');
  checkNames(timestamp, "hmac: timestamp", ["header", "prefix", "unit", "tolerance"]);
  const { unit = "s", prefix = "", tolerance } = timestamp;
  checkOneOf(unit, "timestamp.unit", ["s", "ms"]);
  checkPrefix(prefix, "timestamp.prefix", "t=");
  return {
    header: readHeaderName(timestamp.header, "timestamp.header", "hmac"),
    prefix,
    entry: prefix === "" ? null : entryPattern(prefix),
    unit,
    toleranceMs: readTolerance(tolerance, "hmac"),
  };
}

function writeTime(ms: number, unit: "s" | "ms"): string {
  return unit === "ms" ? String(ms) : writeSeconds(ms);
}

function readTime(text: string | null, unit: "s" | "ms"): number | null {
  return unit === "s" ? readSeconds(text) : readMilliseconds(text);
}

function checkOneOf(value: unknown, option: string, allowed: readonly string[]): void {
  if (typeof value === "string" && allowed.includes(value)) return;
  throw new TypeError(
    `hmac: ${option} must be ${allowed.map((one) => JSON.stringify(one)).join(" or ")}, but is ${JSON.stringify(value)}.`,
  );
}

function wrongContent(content: unknown, why: string): TypeError {
  return new TypeError(`hmac: signedContent ${why}. It is ${JSON.stringify(content)}.`);
}
