import type { Key } from "../contract/key.ts";

/** Neither revoked nor expired. */
export function isUsable(key: Key, now: number): boolean {
  if (key.revokedAt !== null) return false;
  return key.expiresAt === null || Date.parse(key.expiresAt) > now;
}

/** Whether a key may be used to send to an endpoint. */
export function opensEndpoint(key: Key, endpoint: string): boolean {
  return key.kind === "webhook" && (key.endpoints === null || key.endpoints.includes(endpoint));
}
