import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { Store } from "../../ports/store.ts";
import { aKey, epoch, type OpenStore } from "./factories.ts";

/** What every store promises about keys. */
export function keyContract(open: OpenStore): void {
  describe("keys", () => {
    let store: Store;
    beforeEach(async () => {
      store = await open();
    });
    afterEach(() => store.close());

    it("gives a key back without what opens it", async () => {
      const created = await store.createKey(aKey({ id: "key_1", hash: "h1", ciphertext: "c1", endpoints: ["signup"], expiresAt: epoch + 1000 }));
      expect(created).toEqual({
        id: "key_1",
        kind: "webhook",
        name: "default",
        hint: "sbx_abc",
        endpoints: ["signup"],
        scope: null,
        createdAt: "2026-01-01T00:00:00.000Z",
        expiresAt: "2026-01-01T00:00:01.000Z",
        lastUsedAt: null,
        revokedAt: null,
      });
      expect(await store.findKeyByHash("h1")).toEqual(created);
      expect(await store.findKeyByHash("h2")).toBeNull();
    });

    it("refuses a second key with the same hash", async () => {
      await store.createKey(aKey({ hash: "h" }));
      await expect(store.createKey(aKey({ hash: "h" }))).rejects.toThrow(/unique/i);
    });

    it("lists keys of all kinds and states, newest first", async () => {
      await store.createKey(aKey({ id: "key_1", kind: "api" }));
      await store.createKey(aKey({ id: "key_2", createdAt: epoch + 1 }));
      await store.revokeKey("key_1", epoch + 2);
      expect((await store.listKeys()).map((key) => key.id)).toEqual(["key_2", "key_1"]);
    });

    it("lists keys that can be shown again with their ciphertext, of one kind, newest first", async () => {
      await store.createKey(aKey({ id: "key_1", ciphertext: "c1" }));
      await store.createKey(aKey({ id: "key_2", ciphertext: "c2", createdAt: epoch + 1 }));
      await store.createKey(aKey({ id: "key_3", ciphertext: null }));
      await store.createKey(aKey({ id: "key_4", ciphertext: "c4", kind: "api" }));
      const shown = (await store.listKeyCiphertexts("webhook")).map(({ key, ciphertext }) => [key.id, ciphertext]);
      expect(shown).toEqual([["key_2", "c2"], ["key_1", "c1"]]);
    });

    it("keeps the time of the first revocation", async () => {
      await store.createKey(aKey({ id: "key_1", hash: "h1" }));
      expect(await store.revokeKey("key_1", epoch + 1000)).toBe(true);
      expect(await store.revokeKey("key_1", epoch + 2000)).toBe(true);
      expect(await store.findKeyByHash("h1")).toMatchObject({ revokedAt: "2026-01-01T00:00:01.000Z" });
      expect(await store.revokeKey("key_2", epoch)).toBe(false);
    });

    it("keeps the last use, whatever the order in which uses are noted", async () => {
      await store.createKey(aKey({ id: "key_1", hash: "h1" }));
      await store.touchKey("key_1", epoch + 2000);
      await store.touchKey("key_1", epoch + 1000);
      expect(await store.findKeyByHash("h1")).toMatchObject({ lastUsedAt: "2026-01-01T00:00:02.000Z" });
    });
  });
}
