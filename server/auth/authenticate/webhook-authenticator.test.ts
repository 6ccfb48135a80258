import { expect, it, vi } from "vitest";
import type { Key } from "../../contract/access/key.ts";
import { createWebhookAuthenticator } from "./webhook-authenticator.ts";
import { generateKey } from "../keys/check-key.ts";

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
  expect(await authenticate([key], "billing/paid")).toEqual({ ok: true, keyId: "key_1" });
  for (const endpoint of ["billing", "billing/paid/late", "sign", ""])
    expect(await authenticate([key], endpoint)).toEqual({ ok: false });
});

it("opens no endpoint with an API token", async () => {
  expect(await deployed({ kind: "api" }).authenticate([generateKey("api")], "signup")).toEqual({ ok: false });
});

it("asks the store for no more keys than a sender has places for, however many are sent", async () => {
  const { authenticate, findKeyByHash } = deployed();
  const keys = Array.from({ length: 9 }, () => generateKey("webhook"));
  expect(await authenticate(keys.slice(0, 8), "signup")).toEqual({ ok: true, keyId: "key_1" });
  findKeyByHash.mockClear();
  expect(await authenticate(keys, "signup")).toEqual({ ok: false });
  expect(findKeyByHash).not.toHaveBeenCalled();
});
