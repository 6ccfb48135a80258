import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { newId, packedHex, packedId, packedRange, packedUuid } from "./ids.ts";

const { pack, unpack } = packedId("run");
const digits = [..."0123456789ABCDEFGHJKMNPQRSTVWXYZ"];
const ulid = fc
  .tuple(fc.constantFrom(...digits.slice(0, 8)), fc.array(fc.constantFrom(...digits), { minLength: 25, maxLength: 25 }))
  .map(([first, others]) => first + others.join(""));

describe("an id", () => {
  it("with a ULID has 16 bytes, which sort as it does", () => {
    fc.assert(
      fc.property(ulid, ulid, (one, other) => {
        const [a, b] = [pack(`run_${one}`), pack(`run_${other}`)];
        expect([a, b]).toEqual([expect.any(Uint8Array), expect.any(Uint8Array)]);
        expect([a.length, unpack(a)]).toEqual([16, `run_${one}`]);
        expect(Math.sign(Buffer.compare(Buffer.from(a), Buffer.from(b)))).toBe(one < other ? -1 : one > other ? 1 : 0);
      }),
    );
    const id = newId("run");
    expect(unpack(pack(id))).toBe(id);
  });

  it.each([
    "run_1",
    "dlv_01K9ZR7M3QABCDEFGHJKMNPQRS",
    "run_01K9ZR7M3QABCDEFGHJKMNPQRs",
    "run_01K9ZR7M3QABCDEFGHJKMNPQRU",
    "run_81K9ZR7M3QABCDEFGHJKMNPQRS",
    "run_01K9ZR7M3QABCDEFGHJKMNPQRSS",
    "",
    "😀",
  ])("of another form stays text: %j", (id) => {
    expect(pack(id)).toBe(id);
    expect(unpack(id)).toBe(id);
  });

  it("is in the range of a beginning if, and only if, it begins with it", () => {
    fc.assert(
      fc.property(ulid, fc.nat(26), ulid, (one, length, other) => {
        const range = packedRange(one.slice(0, length));
        const isIn = (id: string) => {
          const bytes = Buffer.from(pack(`run_${id}`));
          return range !== null && bytes.compare(range.first) >= 0 && bytes.compare(range.last) <= 0;
        };
        expect(isIn(one)).toBe(true);
        expect(isIn(other)).toBe(other.startsWith(one.slice(0, length)));
      }),
    );
    expect([packedRange("U"), packedRange("9"), packedRange("0".repeat(27))]).toEqual([null, null, null]);
  });
});

it("a hash, a UUID and any other text are unpacked as they were packed", () => {
  const hash = fc.stringMatching(/^[0-9a-f]{64}$/);
  fc.assert(
    fc.property(fc.oneof(hash, fc.uuid(), fc.string()), (text) => {
      expect(packedHex.unpack(packedHex.pack(text))).toBe(text);
      expect(packedUuid.unpack(packedUuid.pack(text))).toBe(text);
    }),
  );
  expect([packedHex.pack("ab".repeat(32)).length, packedUuid.pack(crypto.randomUUID()).length]).toEqual([32, 16]);
});
