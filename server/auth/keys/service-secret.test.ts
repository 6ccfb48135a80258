import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { createKeyCipher } from "./service-secret.ts";

const cipher = createKeyCipher("a secret of sixteen characters or more");

describe("sealing keys", () => {
  it("gives back every text that was sealed", () => {
    fc.assert(fc.property(fc.string(), (text) => void expect(cipher.open(cipher.seal(text))).toBe(text)));
  });

  it("never seals the same key to the same text, and never shows it", () => {
    const [first, second] = [cipher.seal("sbk_x"), cipher.seal("sbk_x")];
    expect(first).not.toBe(second);
    expect(Buffer.from(first.slice(3), "base64url").includes("sbk_x")).toBe(false);
  });

  it("opens nothing under another secret", () => {
    expect(createKeyCipher("another secret of sixteen characters").open(cipher.seal("sbk_x"))).toBeNull();
  });

  it("opens nothing that was changed, cut off or made up", () => {
    const sealed = Buffer.from(cipher.seal("sbk_canary").slice(3), "base64url");
    fc.assert(
      fc.property(fc.nat(sealed.length - 1), fc.integer({ min: 1, max: 255 }), (at, flip) => {
        const changed = Buffer.from(sealed);
        changed[at] = (changed[at] ?? 0) ^ flip;
        return cipher.open(`v1.${changed.toString("base64url")}`) === null;
      }),
    );
    for (let length = 0; length < sealed.length; length++)
      expect(cipher.open(`v1.${sealed.subarray(0, length).toString("base64url")}`)).toBeNull();
    for (const text of ["", "v1", "v1.", "v2.AAAA", "no"]) expect(cipher.open(text)).toBeNull();
  });
});
