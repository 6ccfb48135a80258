import { checkText } from "../check-shape.ts";
import type { Duration, SignatureFault, SignedRequest } from "../definition.ts";
import { fromBase64, fromHex, headerBytes } from "./encodings.ts";
import { type Secret, readSecrets, textKey } from "./secrets.ts";
import { type HashName, hashBytes } from "./signing-key.ts";
import { type Verification, createVerification, fault, readSeconds, readTolerance } from "./verification.ts";

/** What `hmac` takes. */
export interface HmacOptions {
  secret: Secret;
  /** The header that bears the signature, e.g. `"x-signature"`. */
  header: string;
  /** Default `sha256`. `sha1` only for senders that know no better. */
  algorithm?: HashName;
  /** How the signature is written. Default `hex`. */
  encoding?: "hex" | "base64";
  /** What stands before the signature in its header, e.g. `"sha256="`. Default: nothing. */
  prefix?: string;
  /**
   * A header with the time of signing, in seconds or milliseconds since 1970; it must be signed too. `tolerance` 5
   * minutes unless told.
   */
  timestamp?: { header: string; unit?: "s" | "ms"; tolerance?: Duration };
  /**
   * What is signed: `{body}` stands for the bytes of the body, `{timestamp}` for the value of its header,
   * `{header:x-request-id}` for the value of another header, e.g. `"v1:{header:x-request-id}:{timestamp}:{body}"`. A
   * name with a hyphen needs no `header:`. Everything else is text. Where the sender signs its URL, write the URL as in
   * the sender's settings: `` `${process.env.WEBHOOK_URL}{body}` ``. Default: `"{body}"`, with a timestamp
   * `"{timestamp}.{body}"`.
   */
  signedContent?: string;
}

/**
 * Webhooks of any sender that signs by HMAC. Throws a TypeError for options that cannot be meant.
 *
 * @example
 *   verify: hmac({ secret: process.env.CRM_SECRET, header: "x-crm-signature", prefix: "sha256=" });
 */
export function hmac(options: HmacOptions): Verification {
  const secrets = readSecrets(options, { scheme: "hmac", decode: textKey });
  const { algorithm = "sha256", encoding = "hex", prefix = "", timestamp } = options;
  const header = headerName(options.header, "header");
  checkOneOf(algorithm, "algorithm", Object.keys(hashBytes));
  checkOneOf(encoding, "encoding", ["hex", "base64"]);
  if (typeof prefix !== "string")
    throw new TypeError(
      `hmac: prefix must be a text, and is ${JSON.stringify(prefix)}. Write prefix: "sha256=", or leave it out.`,
    );
  const time = timestamp && readTimestamp(timestamp);
  const parts = parseContent(options.signedContent ?? (time ? "{timestamp}.{body}" : "{body}"), time?.header ?? null);
  const bytes = hashBytes[algorithm];
  const decode = encoding === "hex" ? fromHex : fromBase64;
  return createVerification(
    {
      name: "hmac",
      hash: algorithm,
      signatureHeader: () => header,
      form: `${prefix === "" ? "" : `${prefix} and `}${encoding === "hex" ? `${bytes * 2} hexadecimal digits` : `${bytes} bytes in base64`}`,
      readSignatures: (value) => [value.startsWith(prefix) ? decode(value.slice(prefix.length), bytes) : null],
      signed: (request) => signedParts(parts, request),
      signedHeaders: parts.flatMap((part) => ("header" in part && part.header !== time?.header ? [part.header] : [])),
      ...(time && {
        time: {
          place: time.header,
          toleranceMs: time.toleranceMs,
          read: ({ header }: SignedRequest) => readTime(header(time.header), time.unit),
        },
      }),
      options: { header, algorithm, encoding, prefix, time, parts },
    },
    secrets,
  );
}

type Part = { text: string } | { header: string } | { body: true };

function parseContent(content: unknown, timeHeader: string | null): Part[] {
  if (typeof content !== "string" || !content.includes("{body}")) throw wrongContent(content, "must hold {body}");
  if (timeHeader !== null && !content.includes("{timestamp}"))
    throw wrongContent(content, "must hold {timestamp}: a time that is not signed protects nothing");
  if (timeHeader === null && content.includes("{timestamp}"))
    throw wrongContent(content, 'holds {timestamp}, and there is none: add timestamp: { header: "…" }');
  return content.split(/(\{[^{}]*\})/).flatMap((piece): Part[] => {
    const name = /^\{(.*)\}$/.exec(piece)?.[1];
    if (name === undefined) return piece === "" ? [] : [{ text: piece }];
    if (name === "body") return [{ body: true }];
    if (name === "timestamp" && timeHeader !== null) return [{ header: timeHeader }];
    if (name.startsWith("header:")) return [{ header: headerName(name.slice("header:".length), "signedContent") }];
    // A word alone could mean something of the request, such as its URL.
    if (name.includes("-") && headerPattern.test(name)) return [{ header: name.toLowerCase() }];
    throw unknownPlaceholder(name);
  });
}

function unknownPlaceholder(name: string): TypeError {
  const what = `hmac: signedContent names {${name}}, which is no placeholder.`;
  if (name === "url")
    return new TypeError(
      `${what} Write the URL itself, as the sender has it in its settings: signedContent: \`\${process.env.WEBHOOK_URL}{body}\`.`,
    );
  const header = headerPattern.test(name) ? ` For a header of this name, write {header:${name}}.` : "";
  return new TypeError(`${what} There are {body}, {timestamp} and {header:<name>}.${header}`);
}

function signedParts(parts: readonly Part[], request: SignedRequest): (string | Uint8Array)[] | SignatureFault {
  const signed: (string | Uint8Array)[] = [];
  for (const part of parts) {
    if ("text" in part) signed.push(part.text);
    else if ("body" in part) signed.push(request.body);
    else {
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
    header: headerName(timestamp.header, "timestamp.header"),
    unit,
    toleranceMs: readTolerance(tolerance, "hmac"),
  };
}

function readTime(text: string | null, unit: "s" | "ms"): number | null {
  if (unit === "s") return readSeconds(text);
  return text !== null && /^\d{1,15}$/.test(text) ? Number(text) : null;
}

const headerPattern = /^[!#$%&'*+.^_`|~0-9a-z-]+$/i;

function headerName(name: unknown, option: string): string {
  if (option !== "signedContent") checkText(name, option, "hmac", "x-signature");
  if (headerPattern.test(String(name))) return String(name).toLowerCase();
  throw new TypeError(
    `hmac: ${option} must name a header, and is ${JSON.stringify(name)}. Write ${option}: "x-signature".`,
  );
}

function checkOneOf(value: unknown, option: string, allowed: readonly string[]): void {
  if (typeof value === "string" && allowed.includes(value)) return;
  throw new TypeError(
    `hmac: ${option} must be ${allowed.map((one) => JSON.stringify(one)).join(" or ")}, and is ${JSON.stringify(value)}.`,
  );
}

function wrongContent(content: unknown, why: string): TypeError {
  return new TypeError(`hmac: signedContent ${why}. It is ${JSON.stringify(content)}.`);
}
