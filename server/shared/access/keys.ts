import type { Key } from "../../contract/access/key.ts";
import { type Role, scopeOfRole } from "../../contract/access/person.ts";
import { includesScope, type Scope } from "../../contract/access/scope.ts";

/** UTC milliseconds, or ISO 8601. */
type Time = number | string;

interface KeyTimes {
  expiresAt: Time | null;
  revokedAt: Time | null;
}

export type KeyState = "valid" | "revoked" | "expired";

/** A key is valid until it is revoked, and before the moment at which it expires. */
export function keyState({ expiresAt, revokedAt }: KeyTimes, now: number): KeyState {
  if (revokedAt !== null) return "revoked";
  return expiresAt !== null && toMs(expiresAt) <= now ? "expired" : "valid";
}

export function isUsableKey(key: KeyTimes, now: number): boolean {
  return keyState(key, now) === "valid";
}

const expiresSoonMs = 14 * 24 * 60 * 60 * 1000;

/** Whether a valid key needs a rotation: it expires within this time, and no other key replaces it yet. */
export function expiresSoon(
  key: KeyTimes & { replacedBy: string | null },
  now: number,
  withinMs = expiresSoonMs,
): boolean {
  if (key.expiresAt === null || key.replacedBy !== null) return false;
  return isUsableKey(key, now) && toMs(key.expiresAt) <= now + withinMs;
}

/**
 * The change of a key that `nextId` replaces: it expires at `endsAt`, or at its own expiry if that is earlier. `null`
 * if it cannot be rotated, because it is not valid or another key has replaced it.
 */
export function planRotation(
  key: KeyTimes & { expiresAt: number | null; replacedBy: string | null },
  p: { nextId: string; endsAt: number; now: number },
): { expiresAt: number; replacedBy: string } | null {
  if (!isUsableKey(key, p.now) || key.replacedBy !== null) return null;
  return { expiresAt: Math.min(key.expiresAt ?? p.endsAt, p.endsAt), replacedBy: p.nextId };
}

/** Whether a key may be used to send to an endpoint. */
export function isForEndpoint(key: { kind: string; endpoints: Key["endpoints"] }, endpoint: string): boolean {
  return key.kind === "webhook" && (key.endpoints === null || key.endpoints.includes(endpoint));
}

/** The endpoints that all of these keys may send to; `null`: every endpoint. */
export function commonEndpoints(keys: readonly Pick<Key, "endpoints">[]): readonly string[] | null {
  return keys.reduce<readonly string[] | null>(
    (common, { endpoints }) =>
      endpoints === null ? common : endpoints.filter((endpoint) => common?.includes(endpoint) ?? true),
    null,
  );
}

/** The scope of a token: as granted, but never more than the current role of its owner includes. */
export function limitScope(granted: Scope, ownerRole: Role): Scope {
  const held = scopeOfRole[ownerRole];
  return includesScope(held, granted) ? granted : held;
}

/** The expiry of a new key with the same lifetime as an old one. */
export function expiryOfNext(old: { createdAt: Time; expiresAt: Time | null }, now: number): number | null {
  return old.expiresAt === null ? null : now + toMs(old.expiresAt) - toMs(old.createdAt);
}

function toMs(time: Time): number {
  return typeof time === "number" ? time : Date.parse(time);
}
