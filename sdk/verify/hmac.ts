import type { Duration, SignatureFault, SignedRequest } from "../definition.ts";
import {
  fromBase64,
  fromHex,
  hashBytes,
  type HashName,
  headerBytes,
  readSecrets,
  type Secret,
  textKey,
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
  /** The header that carries the signature, e.g. `"x-signature"`. */
  header: string;
  /** Hash algorithm. Use `sha1` only for legacy senders. Default: `sha256`. */
  algorithm?: HashName;
  /** Encoding of the signature. Default: `hex`. */
  encoding?: "hex" | "base64";
  /** Prefix of the signature in its header, e.g. `"sha256="`. Default: none. */
  prefix?: string;
  /**
   * Header with the Unix time of signing; it must be part of the signed content. `unit` is `"s"` or `"ms"`. Default:
   * `"s"`. `tolerance` is the maximum clock difference, `"1s"` to `"24h"`. Default: 5 minutes.
   */
  timestamp?: { header: string; unit?: "s" | "ms"; tolerance?: Duration };
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
  const secrets = readSecrets(options, { scheme: "hmac", decode: textKey, hash: options?.algorithm });
  const { algorithm = "sha256", encoding = "hex", prefix = "", timestamp } = options;
  const header = readHeaderName(options.header, "header", "hmac");
  checkOneOf(algorithm, "algorithm", Object.keys(hashBytes));
  checkOneOf(encoding, "encoding", ["hex", "base64"]);
  if (typeof prefix !== "string")
    throw new TypeError(
      `hmac: prefix must be a string, but is ${JSON.stringify(prefix)}. Write prefix: "sha256=", or leave it out.`,
    );
  const time = timestamp && readTimestamp(timestamp);
  const parts = parseContent(options.signedContent ?? (time ? "{timestamp}.{body}" : "{body}"), time?.header ?? null);
  const signsUrl = parts.some((part) => "url" in part);
  const url = readUrlOption(options.url, "hmac");
  if (url !== null && !signsUrl)
    throw new TypeError("hmac: url is set, but signedContent does not contain {url}. Add {url}, or leave out url.");
  const bytes = hashBytes[algorithm];
  const decode = encoding === "hex" ? fromHex : fromBase64;
  return createVerification(
    {
      name: "hmac",
      signatureHeader: () => header,
      proofHeaders: [header],
      form: `${prefix === "" ? "" : `${prefix} and `}${encoding === "hex" ? `${bytes * 2} hexadecimal digits` : `${bytes} bytes in base64`}`,
      readSignatures: (value) => [value.startsWith(prefix) ? decode(value.slice(prefix.length), bytes) : null],
      signed: (request) => signedParts(parts, request, url),
      seal: {
        headers: ({ receivedAtMs }): Record<string, string> =>
          time ? { [time.header]: time.unit === "ms" ? String(receivedAtMs) : writeSeconds(receivedAtMs) } : {},
        write: (signature) => prefix + (encoding === "hex" ? writeHex(signature) : writeBase64(signature)),
      },
      ...(signsUrl && {
        readsUrl: url === null,
        explainMismatch: (request: SignedRequest) => explainUrl(urlOf(request, url)),
      }),
      signedHeaders: parts.flatMap((part) => ("header" in part && part.header !== time?.header ? [part.header] : [])),
      ...(time && {
        time: {
          source: time.header,
          toleranceMs: time.toleranceMs,
          read: ({ header }: SignedRequest) => readTime(header(time.header), time.unit),
        },
      }),
      options: { header, algorithm, encoding, prefix, time, parts, url },
    },
    secrets,
  );
}

type Part = { text: string } | { header: string } | { body: true } | { method: true } | { url: true };

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
    if (name === "timestamp" && timeHeader !== null) return [{ header: timeHeader }];
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
  url: string | null,
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
    } else {
      const value = request.header(part.header);
      if (value === null) return fault("malformed", `The header ${part.header}, which is signed, is missing (hmac).`);
      signed.push(headerBytes(value));
    }
  }
  return signed;
}

function readTimestamp(timestamp: NonNullable<HmacOptions["timestamp"]>): {
  header: string;
  unit: "s" | "ms";
  toleranceMs: number;
} {
  const { unit = "s", tolerance } = timestamp;
  checkOneOf(unit, "timestamp.unit", ["s", "ms"]);
  return {
    header: readHeaderName(timestamp.header, "timestamp.header", "hmac"),
    unit,
    toleranceMs: readTolerance(tolerance, "hmac"),
  };
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
