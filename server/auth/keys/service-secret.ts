import { createCipheriv, createDecipheriv, hkdfSync, randomBytes } from "node:crypto";

/** Encrypts keys that must be shown again, with a key derived from SIGNALBOX_SECRET. */
export interface KeyCipher {
  seal(key: string): string;
  /** `null`: encrypted with another secret, or damaged. */
  open(ciphertext: string): string | null;
}

const version = "v1";
const ivBytes = 12;
const tagBytes = 16;

/**
 * AES-256-GCM (NIST SP 800-38D); the key is HKDF-SHA-256 (RFC 5869) of the secret, so the secret itself never enters a
 * cipher.
 */
export function createKeyCipher(secret: string): KeyCipher {
  const derived = Buffer.from(hkdfSync("sha256", secret, "", "signalbox webhook keys v1", 32));
  return {
    seal(key) {
      const iv = randomBytes(ivBytes);
      const cipher = createCipheriv("aes-256-gcm", derived, iv);
      const sealed = Buffer.concat([cipher.update(key, "utf8"), cipher.final()]);
      return `${version}.${Buffer.concat([iv, cipher.getAuthTag(), sealed]).toString("base64url")}`;
    },
    open(ciphertext) {
      const [found, body] = ciphertext.split(".");
      if (found !== version || body === undefined) return null;
      const bytes = Buffer.from(body, "base64url");
      try {
        const decipher = createDecipheriv("aes-256-gcm", derived, bytes.subarray(0, ivBytes), {
          authTagLength: tagBytes,
        });
        decipher.setAuthTag(bytes.subarray(ivBytes, ivBytes + tagBytes));
        return Buffer.concat([decipher.update(bytes.subarray(ivBytes + tagBytes)), decipher.final()]).toString("utf8");
      } catch {
        // Too short, or an invalid tag: for the caller both mean that this secret does not decrypt it.
        return null;
      }
    },
  };
}

/** The key that signs session cookies: HKDF-SHA-256 (RFC 5869) of the secret, distinct from the key of the cipher. */
export function deriveSessionSecret(secret: string): string {
  return Buffer.from(hkdfSync("sha256", secret, "", "signalbox sessions v1", 32)).toString("base64url");
}

/** A fingerprint that distinguishes secrets without revealing them. */
export function deriveSecretFingerprint(secret: string): string {
  return Buffer.from(hkdfSync("sha256", secret, "", "signalbox fingerprint v1", 16)).toString("base64url");
}
