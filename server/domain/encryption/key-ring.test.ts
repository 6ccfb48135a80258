import { randomBytes } from "node:crypto";
import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { Json } from "../../contract/json.ts";
import { contentKeyId, createKeyRing, sealedBy } from "./key-ring.ts";

const [first, second] = [randomBytes(32), randomBytes(32)];
const on = createKeyRing({ keys: [first], isOn: true });
const cipher = on.ofRow("run_1");
const anyJson = fc.jsonValue().map((value) => value as Json);

describe("content encryption", () => {
  it("returns every value as it was, and shows nothing of it", () => {
    fc.assert(
      fc.property(anyJson, fc.string({ unit: "binary" }), fc.uint8Array(), (value, text, bytes) => {
        const sealed = cipher.sealJson(value);
        expect(cipher.openJson(sealed)).toEqual(JSON.parse(JSON.stringify(value)));
        expect(sealed === null || sealedBy(String(sealed)) === on.ids[0]).toBe(true);
        expect(cipher.openText(cipher.sealText(text))).toBe(text);
        expect(cipher.openText(cipher.sealName(text))).toBe(text);
        expect(Buffer.from(cipher.openBytes(cipher.sealBytes(bytes)))).toEqual(Buffer.from(bytes));
      }),
    );
    const canary = "Canary-0815-Lovelace";
    const body = Buffer.from(canary.repeat(50));
    expect(Buffer.from(cipher.sealBytes(body)).includes("Canary")).toBe(false);
    expect(String(cipher.sealJson({ [canary]: canary }))).not.toContain("Canary");
  });

  it("gives equal values different results, and equal names and hashes the same", () => {
    expect(cipher.sealText("Ada")).not.toBe(cipher.sealText("Ada"));
    expect(cipher.sealName("send")).toBe(cipher.sealName("send"));
    expect(cipher.sealName("send")).not.toBe(on.ofRow("run_2").sealName("send"));
    const hash = randomBytes(32).toString("hex");
    const sealed = on.sealHash(hash);
    expect(sealed).toMatch(/^[0-9a-f]{64}$/);
    expect([sealed === hash, on.sealHash(hash) === sealed]).toEqual([false, true]);
    expect(on.openHash(sealed, contentKeyId(first))).toBe(hash);
  });

  it("uses the first key, and reads with all of them", () => {
    const rotated = createKeyRing({ keys: [second, first], isOn: true });
    expect(rotated.ofRow("run_1").openText(cipher.sealText("Ada"))).toBe("Ada");
    expect(sealedBy(rotated.ofRow("run_1").sealText("Ada"))).toBe(contentKeyId(second));
    expect(rotated.ofRow("run_1").nameForms("send")).toEqual([
      rotated.ofRow("run_1").sealName("send"),
      cipher.sealName("send"),
      "send",
    ]);
  });

  it("does not decrypt a value that was changed, that is of another row, or whose key is missing", () => {
    const sealed = cipher.sealText("Ada");
    const changed = `${sealed.slice(0, -2)}${sealed.endsWith("AA") ? "BB" : "AA"}`;
    const bytes = Buffer.from(cipher.sealBytes(Buffer.from("Ada")));
    bytes[bytes.length - 1] = (bytes.at(-1) ?? 0) ^ 1;
    expect(() => cipher.openText(changed)).toThrow("A value of run_1 cannot be decrypted");
    expect(() => cipher.openBytes(bytes)).toThrow("A value of run_1 cannot be decrypted");
    expect(() => on.ofRow("run_2").openText(sealed)).toThrow("copied from another row");
    const other = createKeyRing({ keys: [second], isOn: true });
    expect(() => other.ofRow("run_1").openText(sealed)).toThrow(
      `The store has content that the key ${contentKeyId(first)} encrypted, but only ${contentKeyId(second)} is configured. Add it to SIGNALBOX_ENCRYPTION_KEYS.`,
    );
  });

  it("that is off encrypts nothing, except what looks encrypted", () => {
    const off = createKeyRing({ keys: [first], isOn: false }).ofRow("run_1");
    expect([off.sealJson({ a: 1 }), off.sealText("Ada"), off.sealName("send")]).toEqual([{ a: 1 }, "Ada", "send"]);
    const body = Buffer.from("Ada");
    expect(off.sealBytes(body)).toBe(body);
    const imitation = `encrypted:${contentKeyId(first)}:AAAA`;
    expect(off.openText(off.sealText(imitation))).toBe(imitation);
    expect(off.openJson(off.sealJson(imitation))).toBe(imitation);
    const bytes = Buffer.from(`\0${imitation}`);
    expect(Buffer.from(off.openBytes(off.sealBytes(bytes)))).toEqual(bytes);
  });
});
