import { createHmac, timingSafeEqual } from "node:crypto";

/** The session cookie and its lifetime. */
export const personSessionCookie = "signalbox_person";
export const sessionLifetimeSeconds = 30 * 24 * 60 * 60;

/**
 * The token in the value of a session cookie, `<token>.<base64 of its HMAC-SHA-256>`, or `null` if it was not signed
 * with this secret. The stored tokens alone, or a copy of the store, therefore give no access.
 */
export function readSignedToken(value: string, secret: string): string | null {
  const at = value.lastIndexOf(".");
  const token = value.slice(0, at);
  if (at < 1 || token.length > 200) return null;
  const expected = createHmac("sha256", secret).update(token).digest();
  const given = Buffer.from(value.slice(at + 1), "base64");
  return given.length === expected.length && timingSafeEqual(given, expected) ? token : null;
}
