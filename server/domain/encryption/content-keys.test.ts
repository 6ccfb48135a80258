import { describe, expect, it } from "vitest";
import { planContentKeys, type UsedContentKey } from "./content-keys.ts";

const day = 24 * 60 * 60 * 1000;
const now = 100 * day;
const old = (given: Partial<UsedContentKey> = {}): UsedContentKey => ({
  id: "old",
  since: 0,
  retiredAt: null,
  ...given,
});
const plan = (given: Partial<Parameters<typeof planContentKeys>[0]>) =>
  planContentKeys({ used: [], configured: [], writing: null, oldestAt: 0, now, ...given });

describe("the keys of a store", () => {
  it("are not recorded before one encrypts", () => {
    const nothing = { missing: [], forgotten: [], changed: [] };
    expect(plan({})).toEqual(nothing);
    expect(plan({ configured: ["new"] })).toEqual(nothing);
    expect(plan({ configured: ["new"], writing: "new" }).changed).toEqual([{ id: "new", since: now, retiredAt: null }]);
  });

  it("are retired when another one encrypts, or none, and can encrypt again", () => {
    const used = [old()];
    const configured = ["new", "old"];
    expect(plan({ used, configured: ["old"], writing: "old" }).changed).toEqual([]);
    expect(plan({ used, configured }).changed).toEqual([old({ retiredAt: now })]);
    expect(plan({ used, configured, writing: "new" }).changed).toEqual([
      old({ retiredAt: now }),
      { id: "new", since: now, retiredAt: null },
    ]);
    const retired = [old({ retiredAt: day })];
    expect(plan({ used: retired, configured }).changed).toEqual([]);
    expect(plan({ used: retired, configured, writing: "old" }).changed).toEqual([old()]);
  });

  it.each<[string, UsedContentKey, number | null, boolean]>([
    ["a key in use is needed", old(), now, true],
    [
      "a retired key is needed as long as there is anything from its time",
      old({ retiredAt: 50 * day }),
      49 * day,
      true,
    ],
    ["… and a day longer, because machines do not start together", old({ retiredAt: 50 * day }), 51 * day, true],
    [
      "a key is not needed after everything from its time was removed",
      old({ retiredAt: 50 * day }),
      51 * day + 1,
      false,
    ],
    ["no key is needed by an empty store", old(), null, false],
  ])("%s", (_, key, oldestAt, isNeeded) => {
    const { missing, forgotten } = plan({ used: [key], configured: ["new"], writing: "new", oldestAt });
    expect([missing, forgotten]).toEqual(isNeeded ? [["old"], []] : [[], ["old"]]);
  });
});
