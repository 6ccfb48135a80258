import { Buffer } from "node:buffer";
import { createHash, createHmac, createSecretKey, timingSafeEqual } from "node:crypto";
import { checkOptions } from "../check-shape.ts";
import type { SecretProblem } from "../definition.ts";

export type HashName = "sha256" | "sha1" | "sha512";
export const hashBytes: Record<HashName, number> = { sha256: 32, sha1: 20, sha512: 64 };

/** What one secret, or one public key of the sender, can check. */
export interface Key {
  /** Whether one of the signatures belongs to the content. The duration does not depend on which one. */
  accepts(content: readonly (string | Uint8Array)[], signatures: readonly Uint8Array[]): boolean;
  /** Equal for equal secrets. Compare it, but never store or show it. */
  fingerprint(): string;
}

/** A secret prepared for signing. */
export interface HmacKey extends Key {
  sign(content: readonly (string | Uint8Array)[]): Uint8Array;
}

/** A secret that the request itself contains, or that a check of the project receives. */
export interface TokenKey extends Key {
  readonly text: string;
}

/**
 * The sender's signing secret. During a rotation, pass a list: a request signed with any of them is valid. Unset
 * entries of a list are ignored, so `[process.env.NEW_SECRET, process.env.OLD_SECRET]` still works after you remove
 * the old one.
 */
export type Secret = string | undefined | readonly (string | undefined)[];

/** The keys of the secrets, or the reason why there are none. */
export interface Keys<K extends Key = Key> {
  readonly keys: readonly K[];
  readonly problem: SecretProblem | null;
}

/** A shorter secret can be guessed from one signed request. */
const minBytes = 16;

/** Reads `secret` as the secret of HMAC signatures. Throws a TypeError if a secret is not a string. */
export function readSecrets(
  options: { secret: Secret },
  rules: {
    scheme: string;
    decode: (secret: string) => Uint8Array | null;
    /** The required form, as a noun, for messages. */
    form?: string;
    hash?: HashName | undefined;
  },
): Keys<HmacKey> {
  return readKeys(options, {
    scheme: rules.scheme,
    option: "secret",
    create(secret) {
      const bytes = readSecret(secret, rules.decode, rules.form);
      return typeof bytes === "string" ? bytes : createHmacKey(bytes, rules.hash ?? "sha256");
    },
  });
}

/** Reads `secret` as a text that the request itself contains. Throws a TypeError if a secret is not a string. */
export function readTokens<Option extends string = "secret">(
  options: Readonly<Record<Option, Secret>>,
  scheme: string,
  option: Option = "secret" as Option,
  minLength = minBytes,
): Keys<TokenKey> {
  return readKeys(options, {
    scheme,
    option,
    create(secret) {
      const { length } = textKey(secret);
      return length < minLength ? tooShort(length, minLength) : createTokenKey(secret);
    },
  });
}

/**
 * Reads an option that is a key or a list of keys. An unset one is no error here, because builds run without the
 * secrets. `create` returns the key, or the problem with it. Throws a TypeError if a key is not a string.
 */
export function readKeys<Option extends string, K extends Key>(
  options: Readonly<Record<Option, Secret>>,
  { scheme, option, create }: { scheme: string; option: Option; create: (text: string) => K | string },
): Keys<K> {
  const subject = option === "secret" ? {} : { subject: option };
  const variable = `process.env.${constantCase(scheme)}_${constantCase(option)}`;
  checkOptions(options, scheme, `${scheme}({ ${option}: ${variable} })`);
  const given: unknown = options[option];
  const list: readonly unknown[] = Array.isArray(given) ? given : [given];
  const set = list.filter((key) => key !== undefined && key !== null && key !== "");
  if (set.length === 0) {
    const words = Array.isArray(given) ? "is not set: the list is empty" : given === "" ? "is empty" : "is not set";
    return { keys: [], problem: { kind: "missing", words, ...subject } };
  }
  const keys: K[] = [];
  for (const text of set) {
    if (typeof text !== "string")
      throw new TypeError(
        `${scheme}: ${option} must be a string or a list of strings, but is of type ${typeof text}. Write ${option}: ${variable}.`,
      );
    const slip = findSlip(text);
    if (slip) return { keys: [], problem: { kind: "unusable", ...slip, ...subject } };
    const key = create(text);
    if (typeof key === "string") return { keys: [], problem: { kind: "unusable", words: key, ...subject } };
    keys.push(key);
  }
  return { keys, problem: null };
}

/** White space, control characters, zero-width characters and byte order marks. */
const invisible = String.raw`[\s\u0001-\u001f\u007f-\u009f\p{Cf}]`;
const surrounded = new RegExp(`^${invisible}|${invisible}$`, "u");
/** Quotes of shells, of `.env` files and of word processors. */
const quoted = /^(?:"[^]*"|'[^]*'|`[^]*`|[“„”][^]*[“”]|[‘‚’][^]*[‘’]|«[^]*»)$/;

/**
 * What copying added around a secret: quotes, a line break, or other characters that do not belong to it. The words
 * contain no part of the secret. `null`: nothing.
 */
export function findSlip(text: string): Pick<SecretProblem, "words" | "fix"> | null {
  if (/[\r\n]$/.test(text)) return { words: "ends with a line break", fix: "Remove the line break" };
  if (surrounded.test(text))
    return {
      words: "starts or ends with a space or an invisible character",
      fix: "Copy it again, without the characters around it,",
    };
  if (text.length > 1 && quoted.test(text)) return { words: "is in quotes", fix: "Remove the quotes" };
  return null;
}

function constantCase(name: string): string {
  return name.replaceAll(/(?<=[a-z])(?=[A-Z])/g, "_").toUpperCase();
}

/** How the text of a secret is decoded to the bytes of its key. */
export type SecretEncoding = "text" | "base64" | "hex";

/** The bytes of a secret in an encoding; `null` if it is not in this encoding. */
export const decodeSecret: Record<SecretEncoding, (secret: string) => Uint8Array | null> = {
  text: textKey,
  base64: fromAnyBase64,
  hex: (secret) => fromHex(secret, Math.floor(secret.length / 2)),
};

/** The key, or the problem with the secret. */
function readSecret(
  secret: string,
  decode: (secret: string) => Uint8Array | null,
  form = "base64, which this scheme requires (often after whsec_)",
): Uint8Array | string {
  const key = decode(secret);
  if (key === null) return `is not ${form}`;
  return key.length < minBytes ? tooShort(key.length, minBytes) : key;
}

function tooShort(bytes: number, min: number): string {
  return `has ${bytes} bytes, but needs at least ${min}`;
}

/** The bytes of the secret as it is written. Most senders sign with these. */
export function textKey(secret: string): Uint8Array {
  return new TextEncoder().encode(secret);
}

function createHmacKey(secret: Uint8Array, hash: HashName): HmacKey {
  // Created once: an HMAC over a short body takes five times as long if the key is imported each time.
  const key = createSecretKey(secret);
  function sign(content: readonly (string | Uint8Array)[]): Uint8Array {
    const hmac = createHmac(hash, key);
    for (const part of content) hmac.update(part);
    return hmac.digest();
  }
  return {
    sign,
    accepts: (content, signatures) => includesEqual(signatures, sign(content)),
    fingerprint: () => createHash("sha256").update(key.export()).digest("hex"),
  };
}

/** The signature is the secret itself. Only hashes are compared: they have one length. */
function createTokenKey(text: string): TokenKey {
  const expected = createHash("sha256").update(text).digest();
  return {
    text,
    accepts: (_, tokens) =>
      includesEqual(
        tokens.map((token) => createHash("sha256").update(token).digest()),
        expected,
      ),
    fingerprint: () => expected.toString("hex"),
  };
}

/** Compares every signature, even after a match, so that the duration reveals nothing. */
function includesEqual(signatures: readonly Uint8Array[], expected: Uint8Array): boolean {
  return signatures
    .map((signature) => signature.length === expected.length && timingSafeEqual(signature, expected))
    .includes(true);
}

/** Decodes hexadecimal digits to exactly `bytes` bytes; `null` for any other text. */
export function fromHex(text: string, bytes: number): Uint8Array | null {
  return text.length === bytes * 2 && /^[0-9a-f]*$/i.test(text) ? Buffer.from(text, "hex") : null;
}

/** Decodes canonical base64; `null` for any other text. Node's decoder ignores invalid characters and unused bits. */
export function fromBase64(text: string, bytes?: number): Uint8Array | null {
  const read = Buffer.from(text, "base64");
  return read.toString("base64") === text && (bytes === undefined || read.length === bytes) ? read : null;
}

/** Decodes base64 or base64url, with its whole padding or without it; `null` for any other text. */
export function fromAnyBase64(text: string, bytes?: number): Uint8Array | null {
  const digits = text.length % 4 === 0 ? text.replace(/={1,2}$/, "") : text;
  const read = Buffer.from(digits, "base64url");
  const isExact = read.toString("base64url") === digits || read.toString("base64").replace(/=+$/, "") === digits;
  return isExact && (bytes === undefined || read.length === bytes) ? read : null;
}

/** The bytes of a header's value as received: Node decodes each byte as one character. */
export function headerBytes(value: string): Uint8Array {
  return Buffer.from(value, "latin1");
}
