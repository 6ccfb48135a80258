import { checkOptions } from "../check-shape.ts";
import { type SigningKey, createSigningKey } from "./signing-key.ts";

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
