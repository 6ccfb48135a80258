import * as fc from "fast-check";
import { describe, expect, it, vi } from "vitest";
import type { Key } from "../../contract/access/key.ts";
import {
  createWebhookAuthenticator,
  generateKey,
  hashKey,
  isWellFormedKey,
  keyHint,
  keysToCheck,
} from "./check-key.ts";

const kinds = fc.constantFrom("webhook" as const, "api" as const);

describe("keys", () => {
  it("have a prefix for their kind, and at least 192 random bits", () => {
    expect(generateKey("webhook")).toMatch(/^sbk_[0-9A-Za-z]{39}$/);
    expect(generateKey("api")).toMatch(/^sbt_[0-9A-Za-z]{39}$/);
    expect(33 * Math.log2(62)).toBeGreaterThan(192);
  });

  it("are well formed, every one that we make", () => {
    fc.assert(fc.property(kinds, (kind) => void expect(isWellFormedKey(generateKey(kind))).toBe(true)));
  });

  it("are rejected if any one character is changed", () => {
    fc.assert(
      fc.property(kinds, fc.nat(42), fc.constantFrom(..."09AZaz_-é"), (kind, at, character) => {
        const key = generateKey(kind);
        const changed = key.slice(0, at) + character + key.slice(at + 1);
        expect(isWellFormedKey(changed)).toBe(changed === key);
      }),
    );
  });

  it("are rejected if the string is not a key", () => {
    fc.assert(fc.property(fc.string(), (text) => !isWellFormedKey(text)));
    for (const text of [
      "",
      "sbk_",
      `${generateKey("api")} `,
      `${generateKey("api")}\n`,
      generateKey("api").toUpperCase(),
    ])
      expect(isWellFormedKey(text)).toBe(false);
  });

  it("use every digit about equally often", () => {
    const counts = new Map<string, number>();
    for (let made = 0; made < 2_000; made++)
      for (const digit of generateKey("api").slice(4, 37)) counts.set(digit, (counts.get(digit) ?? 0) + 1);
    const expected = (2_000 * 33) / 62;
    expect(counts.size).toBe(62);
    for (const count of counts.values()) expect(Math.abs(count - expected)).toBeLessThan(expected * 0.25);
  });

  it("cannot be derived from their hint or their hash", () => {
    const key = generateKey("webhook");
    expect(keyHint(key)).toBe(`${key.slice(0, 8)}…`);
    expect(hashKey(key)).toMatch(/^[0-9a-f]{64}$/);
  });
});

const anyKey: Key = {
  id: "key_1",
  kind: "webhook",
  name: "any",
  hint: "sbk_…",
  endpoints: null,
  scope: null,
  createdAt: "2026-01-01T00:00:00.000Z",
  replacedBy: null,
  ownerId: null,
  lastUsedAt: null,
  expiresAt: null,
  revokedAt: null,
};

/** A deployed service that knows every key, as `found`. */
function deployed(found: Partial<Key> = {}) {
  const findKeyByHash = vi.fn<(hash: string) => Promise<Key>>(async () => ({ ...anyKey, ...found }));
  const authenticate = createWebhookAuthenticator({
    store: { findKeyByHash, touchKey: async () => {} },
    mode: "deployed",
    clock: { now: () => 0 },
  });
  return { authenticate, findKeyByHash };
}

it("opens the endpoints of a key, and no others", async () => {
  const { authenticate } = deployed({ endpoints: ["signup", "billing/paid"] });
  const key = generateKey("webhook");
  expect(await authenticate([key], "billing/paid")).toMatchObject({ ok: true, keyId: "key_1" });
  for (const endpoint of ["billing", "billing/paid/late", "sign", ""])
    expect(await authenticate([key], endpoint)).toEqual({ ok: false });
});

it("says that the store is new until one of its keys was used, to requests that have a key", async () => {
  const hasUsedKeys = vi.fn<() => Promise<boolean>>(async () => false);
  const authenticate = createWebhookAuthenticator({
    store: { findKeyByHash: async () => null, touchKey: async () => {} },
    mode: "deployed",
    clock: { now: () => 0 },
    hasUsedKeys,
  });
  const [key, other] = [generateKey("webhook"), generateKey("webhook")];
  for (const presented of [[key], [key, other], ["s3cret", key]])
    expect(await authenticate(presented, "signup")).toEqual({ ok: false, isNewStore: true });
  hasUsedKeys.mockClear();
  for (const presented of [[], ["s3cret"]]) expect(await authenticate(presented, "signup")).toEqual({ ok: false });
  expect(hasUsedKeys).not.toHaveBeenCalled();
  hasUsedKeys.mockResolvedValue(true);
  await new Promise((resolve) => setImmediate(resolve));
  expect(await authenticate([key], "signup")).toEqual({ ok: false });
  expect(await authenticate([key], "signup")).toEqual({ ok: false });
  expect(hasUsedKeys).toHaveBeenCalledTimes(1);
});

it("opens no endpoint with an API token", async () => {
  expect(await deployed({ kind: "api" }).authenticate([generateKey("api")], "signup")).toEqual({ ok: false });
});

it("asks the store for no more keys than a sender has forms for, however many are sent", async () => {
  const { authenticate, findKeyByHash } = deployed();
  const keys = Array.from({ length: 9 }, () => generateKey("webhook"));
  expect(await authenticate(keys.slice(0, 8), "signup")).toMatchObject({ ok: true, keyId: "key_1" });
  findKeyByHash.mockClear();
  expect(await authenticate(keys, "signup")).toEqual({ ok: false });
  const foreign = Array.from({ length: 500 }, (_, at) => `foreign-${at}`);
  expect(await authenticate(foreign, "signup")).toEqual({ ok: false });
  expect(findKeyByHash).not.toHaveBeenCalled();
  expect(await authenticate([...foreign, generateKey("webhook")], "signup")).toMatchObject({ ok: true });
  expect(findKeyByHash).toHaveBeenCalledTimes(1);
});

const own = generateKey("webhook");
const other = generateKey("webhook");
const idToken = "eyJhbGciOiJSUzI1NiJ9.eyJhdWQiOiJhIn0.c2ln";

it.each<[name: string, presented: string[], keys: string[]]>([
  ["nothing", [], []],
  ["one key", [own], [own]],
  ["the same key in several forms", [own, own, own], [own]],
  ["two keys", [own, other], [own, other]],
  ["a key and the ID token of the sender", [own, idToken], [own]],
  ["a ?token= of the sender and a key", ["s3cret", own], [own]],
  ["an empty value and a key", ["", own], [own]],
  ["a key and a value with another key inside", [own, `x-${other}`], [own]],
  ["credentials of other services", [idToken, "s3cret"], []],
  ["a key and one that is cut off", [own, own.slice(0, 20)], [own, own.slice(0, 20)]],
  ["a key and its prefix", [own, "sbk_"], [own, "sbk_"]],
  ["a key and one in quotes", [own, `"${own}"`], [own, `"${own}"`]],
  ["a key and one in another case", [own, own.toUpperCase()], [own, own.toUpperCase()]],
  ["a key and an API token", [own, "sbt_1"], [own, "sbt_1"]],
])("of %s, the values that claim to be keys decide", (_, presented, keys) => {
  expect(keysToCheck(presented)).toEqual(keys);
});

it("a request is authenticated exactly if it has a key and each of its keys is valid, with any credentials of other services", async () => {
  const [valid, elsewhere, expired, token] = [own, other, generateKey("webhook"), generateKey("api")];
  const stored = new Map<string, Partial<Key>>([
    [hashKey(valid), { id: "key_valid" }],
    [hashKey(elsewhere), { endpoints: ["billing"] }],
    [hashKey(expired), { expiresAt: "2026-01-01T00:00:00.000Z" }],
    [hashKey(token), { kind: "api" }],
  ]);
  const authenticate = createWebhookAuthenticator({
    store: {
      findKeyByHash: async (hash) => (stored.has(hash) ? { ...anyKey, ...stored.get(hash) } : null),
      touchKey: async () => {},
    },
    mode: "deployed",
    clock: { now: () => Date.parse("2026-06-01T00:00:00Z") },
  });
  const invalid = [
    elsewhere,
    expired,
    token,
    generateKey("webhook"),
    valid.slice(0, -1),
    "sbk_",
    "SBT_1",
    `"${valid}"`,
  ];
  const foreign = [idToken, "", "s3cret", `key ${valid}`, "Basic x", "sb", "é", " "];
  const credential = fc.oneof(
    fc.record({ kind: fc.constant("valid" as const), value: fc.constant(valid) }),
    fc.record({ kind: fc.constant("invalid" as const), value: fc.constantFrom(...invalid) }),
    fc.record({ kind: fc.constant("foreign" as const), value: fc.constantFrom(...foreign) }),
    fc.constant(null),
  );
  // One for each form: ?token=, ?api_key=, Bearer, Basic and x-api-key.
  const sent = fc.array(credential, { minLength: 5, maxLength: 5 }).map((some) => some.filter((one) => one !== null));
  await fc.assert(
    fc.asyncProperty(sent, async (credentials) => {
      const { ok } = await authenticate(
        credentials.map(({ value }) => value),
        "signup",
      );
      const has = (kind: string) => credentials.some((one) => one.kind === kind);
      expect(ok).toBe(has("valid") && !has("invalid"));
    }),
    { numRuns: 500 },
  );
});
