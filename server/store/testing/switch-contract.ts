import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { Store } from "../../ports/store.ts";
import { epoch, type OpenStore } from "./factories.ts";

/** The tests of trigger switches that every store passes. */
export function switchContract(open: OpenStore): void {
  describe("trigger switches", () => {
    let store: Store;
    beforeEach(async () => {
      store = await open();
    });
    afterEach(() => store.close());
    const off = (at: number, reason: string | null) => store.switchTrigger({ slug: "a", disable: { at, reason } });
    const disabled = async () => Object.fromEntries(await store.listDisabledTriggers());

    it("every trigger is enabled until it is disabled, with a time and a reason", async () => {
      expect(await disabled()).toEqual({});
      expect(
        await store.switchTrigger({ slug: "new-signup", disable: { at: epoch, reason: "the mail server is down" } }),
      ).toBe(false);
      expect(await store.switchTrigger({ slug: "invoice", disable: { at: epoch + 1, reason: null } })).toBe(false);
      expect(await disabled()).toEqual({
        "new-signup": { at: "2026-01-01T00:00:00.000Z", reason: "the mail server is down" },
        invoice: { at: "2026-01-01T00:00:00.001Z", reason: null },
      });
    });

    it("a disabled trigger keeps its first time, and its reason until there is a new one", async () => {
      await off(epoch, "first");
      expect(await off(epoch + 1, null)).toBe(true);
      expect(await disabled()).toEqual({ a: { at: "2026-01-01T00:00:00.000Z", reason: "first" } });
      await off(epoch + 2, "second");
      expect(await disabled()).toEqual({ a: { at: "2026-01-01T00:00:00.000Z", reason: "second" } });
    });

    it("an enabled trigger can be disabled again", async () => {
      expect(await store.switchTrigger({ slug: "a", disable: null })).toBe(false);
      await store.switchTrigger({ slug: "a", disable: { at: epoch, reason: "first" } });
      expect(await store.switchTrigger({ slug: "a", disable: null })).toBe(true);
      expect(await disabled()).toEqual({});
      await store.switchTrigger({ slug: "a", disable: { at: epoch + 5, reason: null } });
      expect(await disabled()).toEqual({ a: { at: "2026-01-01T00:00:00.005Z", reason: null } });
    });

    const look = async () => (await store.mark()).switches;

    it("every change, and nothing else, changes the mark of the store", async () => {
      const marks = [await look()];
      for (const disable of [{ at: epoch, reason: null }, null, { at: epoch, reason: null }]) {
        await store.switchTrigger({ slug: "a", disable });
        marks.push(await look());
      }
      expect(new Set(marks).size).toBe(4);
      expect(await look()).toBe(marks.at(-1));
    });
  });
}
