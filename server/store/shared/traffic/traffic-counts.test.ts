import * as fc from "fast-check";
import { expect, it } from "vitest";
import { readTrafficKey, writeTrafficKey } from "./traffic-counts.ts";

it("a key is read as it was written, for any endpoint name", () => {
  const word = fc.stringMatching(/^[a-z0-9:_-]{0,20}$/);
  const keys = fc.record({
    at: fc.nat({ max: 4_102_444_800_000 }),
    outcome: word,
    attachmentId: word,
    endpoint: fc.string({ unit: "binary" }),
  });
  fc.assert(
    fc.property(keys, (key) => {
      expect(readTrafficKey(writeTrafficKey(key))).toEqual(key);
    }),
  );
});
