import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { roleSchema, scopeOfRole } from "../../contract/access/person.ts";
import { includesScope, scopes } from "../../contract/access/scope.ts";
import {
  commonEndpoints,
  expiresSoon,
  expiryOfNext,
  isForEndpoint,
  isUsableKey,
  keyState,
  limitScope,
  planRotation,
} from "./keys.ts";

const now = Date.UTC(2026, 0, 1);
const day = 86_400_000;
const key = (given: { expiresAt?: number; revokedAt?: number; replacedBy?: string } = {}) => ({
  expiresAt: null,
  revokedAt: null,
  replacedBy: null,
  ...given,
});

const iso = (ms: number | null) => (ms === null ? null : new Date(ms).toISOString());
const rotate = (given: Parameters<typeof key>[0], endsAt = now + day) =>
  planRotation(key(given), { nextId: "key_2", endsAt, now });

it("a key is valid until it is revoked or expires", () => {
  expect(keyState(key(), now)).toBe("valid");
  expect(keyState(key({ expiresAt: now + 1 }), now)).toBe("valid");
  expect(keyState(key({ expiresAt: now }), now)).toBe("expired");
  expect(keyState(key({ revokedAt: now + 5 }), now)).toBe("revoked");
  expect(keyState(key({ revokedAt: now, expiresAt: now - 1 }), now)).toBe("revoked");
});

it("times may be milliseconds or ISO 8601", () => {
  const time = fc.option(fc.integer({ min: now - day, max: now + 30 * day }));
  fc.assert(
    fc.property(time, time, (expiresAt, revokedAt) => {
      const inIso = { expiresAt: iso(expiresAt), revokedAt: iso(revokedAt), replacedBy: null };
      expect(keyState(inIso, now)).toBe(keyState({ expiresAt, revokedAt }, now));
      expect(expiresSoon(inIso, now)).toBe(expiresSoon({ expiresAt, revokedAt, replacedBy: null }, now));
    }),
  );
});

it("only a valid key without a replacement expires soon, within 14 days", () => {
  expect(expiresSoon(key({ expiresAt: now + 14 * day }), now)).toBe(true);
  for (const given of [
    {},
    { expiresAt: now + 14 * day + 1 },
    { expiresAt: now },
    { expiresAt: now + day, revokedAt: now },
    { expiresAt: now + day, replacedBy: "key_2" },
  ])
    expect(expiresSoon(key(given), now), JSON.stringify(given)).toBe(false);
});

describe("a rotation", () => {
  it("ends the old key after the overlap, or at its own expiry if that is earlier", () => {
    expect(rotate({})).toEqual({ expiresAt: now + day, replacedBy: "key_2" });
    expect(rotate({ expiresAt: now + 1 })).toEqual({ expiresAt: now + 1, replacedBy: "key_2" });
    expect(rotate({ expiresAt: now + 2 * day })).toEqual({ expiresAt: now + day, replacedBy: "key_2" });
  });

  it("is impossible for a key that is revoked, expired or already replaced", () => {
    expect(rotate({ revokedAt: now - 1 })).toBeNull();
    expect(rotate({ expiresAt: now })).toBeNull();
    expect(rotate({ replacedBy: "key_3" })).toBeNull();
  });

  it("is possible for every valid key, never extends its life, and ends it at once without an overlap", () => {
    const expiry = fc.option(fc.integer({ min: now + 1, max: 2 * now }));
    fc.assert(
      fc.property(expiry, fc.nat(90 * day), (expiresAt, overlap) => {
        const old = { expiresAt, revokedAt: null, replacedBy: null };
        const rotated = { ...old, ...planRotation(old, { nextId: "key_2", endsAt: now + overlap, now }) };
        expect(rotated.expiresAt).toBe(Math.min(expiresAt ?? Infinity, now + overlap));
        expect(isUsableKey(rotated, now)).toBe(overlap > 0);
      }),
    );
  });
});

it("keys that are sent together may send to the endpoints that all of them may send to", () => {
  const [all, ab, bc] = [null, ["a", "b"], ["b", "c"]].map((endpoints) => ({ endpoints }));
  const common = (...keys: (typeof all)[]) => commonEndpoints(keys.filter((key) => key !== undefined));
  expect(common(all)).toBeNull();
  expect(common(all, ab)).toEqual(["a", "b"]);
  expect(common(ab, all, bc)).toEqual(["b"]);
  expect(common(bc, { endpoints: ["a"] })).toEqual([]);
});

it("only a webhook key may send, to its endpoints or to all", () => {
  expect(isForEndpoint({ kind: "webhook", endpoints: ["a"] }, "a")).toBe(true);
  expect(isForEndpoint({ kind: "webhook", endpoints: ["a"] }, "b")).toBe(false);
  expect(isForEndpoint({ kind: "webhook", endpoints: null }, "b")).toBe(true);
  expect(isForEndpoint({ kind: "api", endpoints: null }, "b")).toBe(false);
});

it("a token has the largest scope that its grant and its owner's role include", () => {
  for (const granted of scopes)
    for (const role of roleSchema.options) {
      const isIncluded = (scope: typeof granted) =>
        includesScope(granted, scope) && includesScope(scopeOfRole[role], scope);
      expect(limitScope(granted, role)).toBe(scopes.findLast(isIncluded));
    }
});

it("a new key lives as long as the key that it replaces", () => {
  expect(expiryOfNext({ createdAt: now - day, expiresAt: now + day }, now)).toBe(now + 2 * day);
  expect(expiryOfNext({ createdAt: new Date(now - day).toISOString(), expiresAt: null }, now)).toBeNull();
});
