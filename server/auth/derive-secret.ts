import { hkdfSync } from "node:crypto";

/**
 * The key that signs session cookies: HKDF-SHA-256 (RFC 5869) of the service's secret, apart from the one that seals
 * webhook keys.
 */
export function deriveSessionSecret(secret: string): string {
  return Buffer.from(hkdfSync("sha256", secret, "", "signalbox sessions v1", 32)).toString("base64url");
}

/** A fingerprint that distinguishes secrets without revealing them. */
export function deriveSecretFingerprint(secret: string): string {
  return Buffer.from(hkdfSync("sha256", secret, "", "signalbox fingerprint v1", 16)).toString("base64url");
}
