import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { Store } from "../../ports/store.ts";
import { epoch, type OpenStore } from "./factories.ts";

/** The tests of contracts of events that every store passes. */
export function driftContract(open: OpenStore): void {
  describe("contracts of events", () => {
    let store: Store;
    beforeEach(async () => {
      store = await open();
    });
    afterEach(() => store.close());
    const save = (revision: number, content: string, kinds: Record<string, string> = {}, lastSeen = epoch) =>
      store.saveContracts({
        endpoint: "billing",
        revision,
        content,
        lastSeen,
        kinds: Object.entries(kinds).map(([kind, text]) => ({ kind, content: text, lastSeen })),
      });

    it("are empty until they are saved, and belong to one endpoint", async () => {
      const none = { revision: 0, endpoint: null, kinds: new Map() };
      expect(await store.readContracts("billing")).toEqual(none);
      expect(await save(0, '{"count":1}', { "invoice.paid": "a\\u0000", "": "b" })).toBe(true);
      expect(await store.readContracts("billing")).toEqual({
        revision: 1,
        endpoint: '{"count":1}',
        kinds: new Map([
          ["", "b"],
          ["invoice.paid", "a\\u0000"],
        ]),
      });
      expect(await store.readContracts("other")).toEqual(none);
    });

    it("keep the kinds that did not change", async () => {
      await save(0, "1", { a: "a1", b: "b1" });
      expect(await save(1, "2", { b: "b2" })).toBe(true);
      expect(await store.readContracts("billing")).toEqual({
        revision: 2,
        endpoint: "2",
        kinds: new Map([
          ["a", "a1"],
          ["b", "b2"],
        ]),
      });
    });

    it("of two concurrent updates, exactly one is written", async () => {
      await save(0, "first");
      const written = await Promise.all(["a", "b", "c"].map((content) => save(1, content, { kind: content })));
      expect(written.filter(Boolean)).toHaveLength(1);
      const { revision, endpoint, kinds } = await store.readContracts("billing");
      expect([revision, kinds.get("kind")]).toEqual([2, endpoint]);
    });

    it("are removed when their last delivery is too old", async () => {
      await save(0, "1", { old: "o" }, epoch);
      await save(1, "2", { new: "n" }, epoch + 10);
      expect(await store.removeOldContracts({ before: epoch + 10 })).toEqual({ removed: 1, next: null });
      expect([...(await store.readContracts("billing")).kinds.keys()]).toEqual(["new"]);
      expect(await store.removeOldContracts({ before: epoch + 11 })).toEqual({ removed: 2, next: null });
    });
  });
}
