import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { PresetSubject } from "../../contract/preset.ts";
import type { Store } from "../../ports/store.ts";
import { epoch, type OpenStore } from "./factories.ts";

const trigger: PresetSubject = { kind: "trigger", slug: "new-signup" };

/** The tests of presets that every store passes. */
export function presetContract(open: OpenStore): void {
  describe("presets", () => {
    let store: Store;
    beforeEach(async () => {
      store = await open();
    });
    afterEach(() => store.close());

    it("returns a preset as it was saved, for any JSON", async () => {
      for (const value of [{ deep: [1, "\u0000\ud800 ü", null] }, null, "text", 0, false, []]) {
        const saved = await store.savePreset({
          id: "pst_1",
          subject: trigger,
          name: "a paid invoice",
          value,
          now: epoch,
        });
        expect(saved).toEqual({
          id: "pst_1",
          subject: trigger,
          name: "a paid invoice",
          value,
          savedAt: "2026-01-01T00:00:00.000Z",
        });
        expect(await store.listPresets(trigger)).toEqual([saved]);
      }
    });

    it("lists the presets of one subject by name", async () => {
      const save = (id: string, name: string, subject: PresetSubject = trigger) =>
        store.savePreset({ id, subject, name, value: id, now: epoch });
      await save("pst_1", "second");
      await save("pst_2", "first");
      await save("pst_3", "first", { kind: "workflow", slug: "new-signup" });
      await save("pst_4", "first", { kind: "trigger", slug: "other" });
      expect((await store.listPresets(trigger)).map(({ id }) => id)).toEqual(["pst_2", "pst_1"]);
      expect(await store.listPresets({ kind: "agent", slug: "new-signup" })).toEqual([]);
    });

    it("replaces the preset with the same name", async () => {
      await store.savePreset({ id: "pst_1", subject: trigger, name: "n", value: 1, now: epoch });
      await store.savePreset({ id: "pst_2", subject: trigger, name: "n", value: 2, now: epoch + 1000 });
      expect(await store.listPresets(trigger)).toEqual([
        { id: "pst_2", subject: trigger, name: "n", value: 2, savedAt: "2026-01-01T00:00:01.000Z" },
      ]);
    });

    it("removes a preset once", async () => {
      await store.savePreset({ id: "pst_1", subject: trigger, name: "n", value: 1, now: epoch });
      expect(await store.removePreset("pst_1")).toBe(true);
      expect(await store.removePreset("pst_1")).toBe(false);
      expect(await store.listPresets(trigger)).toEqual([]);
    });

    it("every change, and nothing else, changes the mark of the store", async () => {
      const marks = [(await store.mark()).presets];
      const look = async () => void marks.push((await store.mark()).presets);
      await store.savePreset({ id: "pst_1", subject: trigger, name: "n", value: 1, now: epoch });
      await look();
      await store.savePreset({ id: "pst_2", subject: trigger, name: "n", value: 2, now: epoch });
      await look();
      await store.removePreset("pst_2");
      await look();
      for (const [at, mark] of marks.entries()) expect(mark).not.toBe(marks[at - 1]);
      await store.removePreset("pst_2");
      expect((await store.mark()).presets).toBe(marks.at(-1));
    });
  });
}
