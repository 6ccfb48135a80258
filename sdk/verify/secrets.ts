import { checkOptions } from "../check-shape.ts";
import { type SigningKey, createSigningKey } from "./signing-key.ts";

/**
 * What the sender signs with. Several while one replaces another: a request signed with any of them is good. Of a list,
 * what is not set is left out, so that `[process.env.NEW_SECRET, process.env.OLD_SECRET]` goes on when the old one is
 * gone.
 */
export type Secret = string | undefined | readonly (string | undefined)[];

/** The keys that secrets stand for, or why there are none. `problem` never holds a secret, nor a part of one. */
export interface SecretKeys {
  readonly keys: readonly SigningKey[];
  readonly problem: SecretProblem | null;
}

interface SecretProblem {
  readonly kind: "missing" | "unusable";
  /** Ends a sentence that begins with "Its secret": `is not set`, `has 3 characters, and needs 16 or more`. */
  readonly words: string;
}

/** Shorter ones can be guessed from one signed request. */
const minBytes = 16;

/**
 * Reads `secret`. One that is not set is no error here: projects are built where their secrets are not. Throws a
 * TypeError for what is no text.
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
        words: Array.isArray(given) ? "is not set: the list has none" : given === "" ? "is empty" : "is not set",
      },
    };
  const keys: SigningKey[] = [];
  for (const secret of set) {
    if (typeof secret !== "string")
      throw new TypeError(
        `${p.scheme}: secret must be a text or a list of texts, and is of type ${typeof secret}. Write secret: process.env.${p.scheme.toUpperCase()}_SECRET.`,
      );
    const read = readSecret(secret, p.decode);
    if (typeof read === "string") return { keys: [], problem: { kind: "unusable", words: read } };
    keys.push(createSigningKey(read));
  }
  return { keys, problem: null };
}

/** The key, or what is wrong with the secret. */
function readSecret(secret: string, decode: (secret: string) => Uint8Array | null): Uint8Array | string {
  if (secret.trim() !== secret) return "begins or ends with white space, as a file's last line break does";
  const key = decode(secret);
  if (key === null) return "is not base64, as secrets of this scheme are (often after whsec_)";
  return key.length < minBytes ? `has ${key.length} bytes, and needs ${minBytes} or more` : key;
}

/** Most senders sign with the secret as it is written. */
export function textKey(secret: string): Uint8Array {
  return new TextEncoder().encode(secret);
}
