import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { Store } from "../../ports/store.ts";
import { aKey, epoch, type OpenStore } from "./factories.ts";

/** The tests of keys that every store passes. */
export function keyContract(open: OpenStore): void {
  describe("keys", () => {
    let store: Store;
    beforeEach(async () => {
      store = await open();
    });
    afterEach(() => store.close());

    it("returns a key without its secret", async () => {
      const created = await store.createKey(
        aKey({ id: "key_1", hash: "h1", ciphertext: "c1", endpoints: ["signup"], expiresAt: epoch + 1000 }),
      );
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
        replacedBy: null,
        ownerId: null,
      });
      expect(await store.findKeyByHash("h1")).toEqual(created);
      expect(await store.findKeyByHash("h2")).toBeNull();
    });

    it("knows whether a webhook key was ever used", async () => {
      await store.createKey(aKey({ id: "key_api", kind: "api", scope: "admin" }));
      await store.createKey(aKey({ id: "key_1", hash: "h1" }));
      await store.touchKey("key_api", epoch);
      expect(await store.hasUsedKeys()).toBe(false);
      await store.touchKey("key_1", epoch);
      expect(await store.hasUsedKeys()).toBe(true);
      await store.revokeKey("key_1", epoch);
      expect(await store.hasUsedKeys()).toBe(true);
    });

    it("rejects a second key with the same hash", async () => {
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
      expect(shown).toEqual([
        ["key_2", "c2"],
        ["key_1", "c1"],
      ]);
    });

    it("keeps the time of the first revocation", async () => {
      await store.createKey(aKey({ id: "key_1", hash: "h1" }));
      expect(await store.revokeKey("key_1", epoch + 1000)).toBe(true);
      expect(await store.revokeKey("key_1", epoch + 2000)).toBe(true);
      expect(await store.findKeyByHash("h1")).toMatchObject({ revokedAt: "2026-01-01T00:00:01.000Z" });
      expect(await store.revokeKey("key_2", epoch)).toBe(false);
    });

    it("replaces a key, which expires after the overlap, or at its own expiry if that is earlier", async () => {
      await store.createKey(aKey({ id: "key_1", hash: "h1" }));
      await store.createKey(aKey({ id: "key_2", hash: "h2", expiresAt: epoch + 500 }));
      const audit = [
        {
          id: "aud_1",
          at: epoch,
          action: "key.rotated" as const,
          actor: { kind: "machine" as const, id: null, name: null },
          subject: "key_1",
          address: null,
          detail: null,
        },
      ];
      const rotated = await store.rotateKey({
        id: "key_1",
        next: aKey({ id: "key_3", hash: "h3" }),
        endsAt: epoch + 1000,
        now: epoch + 1,
        audit,
      });
      expect(rotated).toMatchObject({
        kind: "rotated",
        old: { id: "key_1", replacedBy: "key_3", expiresAt: "2026-01-01T00:00:01.000Z" },
        next: { id: "key_3", replacedBy: null, expiresAt: null },
      });
      expect(await store.findKeyByHash("h1")).toEqual(rotated.kind === "rotated" && rotated.old);
      expect(await store.findKeyByHash("h3")).toEqual(rotated.kind === "rotated" && rotated.next);
      expect((await store.listAudit({}, { limit: 10, cursor: null })).data.map(({ id }) => id)).toEqual(["aud_1"]);
      expect(
        await store.rotateKey({ id: "key_2", next: aKey({ id: "key_4" }), endsAt: epoch + 1000, now: epoch + 1 }),
      ).toMatchObject({ kind: "rotated", old: { expiresAt: "2026-01-01T00:00:00.500Z" } });
    });

    it("replaces a key only once, and only a valid one", async () => {
      await store.createKey(aKey({ id: "key_1" }));
      await store.createKey(aKey({ id: "key_2" }));
      await store.createKey(aKey({ id: "key_3", expiresAt: epoch + 1 }));
      await store.revokeKey("key_2", epoch);
      const rotate = (id: string) => store.rotateKey({ id, next: aKey(), endsAt: epoch + 1000, now: epoch + 1 });
      expect((await Promise.all([rotate("key_1"), rotate("key_1")])).map(({ kind }) => kind)).toEqual([
        "rotated",
        "taken",
      ]);
      for (const id of ["key_2", "key_3"])
        expect(await rotate(id)).toMatchObject({ kind: "taken", old: { id, replacedBy: null } });
      expect(await rotate("key_9")).toEqual({ kind: "missing" });
      expect(await store.listKeys()).toHaveLength(4);
    });

    it("keeps the latest use, in any order of recording", async () => {
      await store.createKey(aKey({ id: "key_1", hash: "h1" }));
      await store.touchKey("key_1", epoch + 2000);
      await store.touchKey("key_1", epoch + 1000);
      expect(await store.findKeyByHash("h1")).toMatchObject({ lastUsedAt: "2026-01-01T00:00:02.000Z" });
    });
  });
}
