import { createHash, createHmac, createSecretKey } from "node:crypto";

export type HashName = "sha256" | "sha1" | "sha512";
export const hashBytes: Record<HashName, number> = { sha256: 32, sha1: 20, sha512: 64 };

/** A secret that is ready to sign, and does not show itself. */
export interface SigningKey {
  sign(hash: HashName, parts: readonly (string | Uint8Array)[]): Uint8Array;
  /** The same for equal secrets: to be compared, never to be kept or shown. */
  fingerprint(): string;
}

export function createSigningKey(secret: Uint8Array): SigningKey {
  // Made once: with the bytes of a key each time, an HMAC over a short body takes five times as long.
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
