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
  p: { scheme: string; decode: (secret: string) => Uint8Array | null; hash?: HashName | undefined },
): Keys<HmacKey> {
  return readKeys(options, {
    scheme: p.scheme,
    option: "secret",
    create(secret) {
      const bytes = readSecret(secret, p.decode);
      return typeof bytes === "string" ? bytes : createHmacKey(bytes, p.hash ?? "sha256");
    },
  });
}

/** Reads `secret` as a text that the request itself contains. Throws a TypeError if a secret is not a string. */
export function readTokens<Option extends string = "secret">(
  options: Readonly<Record<Option, Secret>>,
  scheme: string,
  option: Option = "secret" as Option,
): Keys<TokenKey> {
  return readKeys(options, {
    scheme,
    option,
    create(secret) {
      const bytes = readSecret(secret, textKey);
      return typeof bytes === "string" ? bytes : createTokenKey(secret);
    },
  });
}

/**
 * Reads an option that is a key or a list of keys. An unset one is no error here, because builds run without the
 * secrets. `create` returns the key, or the problem with it. Throws a TypeError if a key is not a string.
 */
export function readKeys<Option extends string, K extends Key>(
  options: Readonly<Record<Option, Secret>>,
  p: { scheme: string; option: Option; create: (text: string) => K | string },
): Keys<K> {
  const subject = p.option === "secret" ? {} : { subject: p.option };
  const variable = `process.env.${constantCase(p.scheme)}_${constantCase(p.option)}`;
  checkOptions(options, p.scheme, `${p.scheme}({ ${p.option}: ${variable} })`);
  const given: unknown = options[p.option];
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
        `${p.scheme}: ${p.option} must be a string or a list of strings, but is of type ${typeof text}. Write ${p.option}: ${variable}.`,
      );
    const key = text.trim() === text ? p.create(text) : "starts or ends with whitespace, such as a trailing line break";
    if (typeof key === "string") return { keys: [], problem: { kind: "unusable", words: key, ...subject } };
    keys.push(key);
  }
  return { keys, problem: null };
}

function constantCase(name: string): string {
  return name.replaceAll(/(?<=[a-z])(?=[A-Z])/g, "_").toUpperCase();
}

/** The key, or the problem with the secret. */
function readSecret(secret: string, decode: (secret: string) => Uint8Array | null): Uint8Array | string {
  const key = decode(secret);
  if (key === null) return "is not base64, which this scheme requires (often after whsec_)";
  return key.length < minBytes ? `has ${key.length} bytes, but needs at least ${minBytes}` : key;
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

/** The bytes of a header's value as received: Node decodes each byte as one character. */
export function headerBytes(value: string): Uint8Array {
  return Buffer.from(value, "latin1");
}
