import { Buffer } from "node:buffer";
import { createHash, createHmac, createSecretKey } from "node:crypto";
import { checkOptions } from "../check-shape.ts";

export type HashName = "sha256" | "sha1" | "sha512";
export const hashBytes: Record<HashName, number> = { sha256: 32, sha1: 20, sha512: 64 };

/** A secret prepared for signing. It never reveals its bytes. */
export interface SigningKey {
  sign(hash: HashName, parts: readonly (string | Uint8Array)[]): Uint8Array;
  /** Equal for equal secrets. Compare it, but never store or show it. */
  fingerprint(): string;
}

/**
 * The sender's signing secret. During a rotation, pass a list: a request signed with any of them is valid. Unset
 * entries of a list are ignored, so `[process.env.NEW_SECRET, process.env.OLD_SECRET]` still works after you remove
 * the old one.
 */
export type Secret = string | undefined | readonly (string | undefined)[];

/** The keys of the secrets, or the reason why there are none. `problem` never contains a secret or a part of one. */
export interface SecretKeys {
  readonly keys: readonly SigningKey[];
  readonly problem: SecretProblem | null;
}

interface SecretProblem {
  readonly kind: "missing" | "unusable";
  /** A predicate that follows "Its secret": `is not set`, `has 7 bytes, but needs at least 16`. */
  readonly words: string;
}

/** A shorter secret can be guessed from one signed request. */
const minBytes = 16;

/**
 * Reads `secret`. An unset secret is no error here, because builds run without the secrets. Throws a TypeError if a
 * secret is not a string.
 */
export function readSecrets(
  options: { secret: Secret },
  p: { scheme: string; decode: (secret: string) => Uint8Array | null },
): SecretKeys {
  checkOptions(options, p.scheme, `${p.scheme}({ secret: process.env.${p.scheme.toUpperCase()}_SECRET })`);
  const given: unknown = options.secret;
  const list: readonly unknown[] = Array.isArray(given) ? given : [given];
  const set = list.filter((secret) => secret !== undefined && secret !== null && secret !== "");
  if (set.length === 0)
    return {
      keys: [],
      problem: {
        kind: "missing",
        words: Array.isArray(given) ? "is not set: the list is empty" : given === "" ? "is empty" : "is not set",
      },
    };
  const keys: SigningKey[] = [];
  for (const secret of set) {
    if (typeof secret !== "string")
      throw new TypeError(
        `${p.scheme}: secret must be a string or a list of strings, but is of type ${typeof secret}. Write secret: process.env.${p.scheme.toUpperCase()}_SECRET.`,
      );
    const read = readSecret(secret, p.decode);
    if (typeof read === "string") return { keys: [], problem: { kind: "unusable", words: read } };
    keys.push(createSigningKey(read));
  }
  return { keys, problem: null };
}

/** The key, or the problem with the secret. */
function readSecret(secret: string, decode: (secret: string) => Uint8Array | null): Uint8Array | string {
  if (secret.trim() !== secret) return "starts or ends with whitespace, such as a trailing line break";
  const key = decode(secret);
  if (key === null) return "is not base64, which this scheme requires (often after whsec_)";
  return key.length < minBytes ? `has ${key.length} bytes, but needs at least ${minBytes}` : key;
}

/** The bytes of the secret as it is written. Most senders sign with these. */
export function textKey(secret: string): Uint8Array {
  return new TextEncoder().encode(secret);
}

function createSigningKey(secret: Uint8Array): SigningKey {
  // Created once: an HMAC over a short body takes five times as long if the key is imported each time.
  const key = createSecretKey(secret);
  return {
    sign(hash, parts) {
      const hmac = createHmac(hash, key);
      for (const part of parts) hmac.update(part);
      return hmac.digest();
    },
    fingerprint: () => createHash("sha256").update(key.export()).digest("hex"),
  };
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
