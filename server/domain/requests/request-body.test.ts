import * as fc from "fast-check";
import { expect, it } from "vitest";
import { createBodyBudget, createBodyBuffer } from "./request-body.ts";

const mib = 1024 * 1024;
const overloaded = expect.objectContaining({ code: "overloaded" });

it("one owner has half of the memory, all owners share the rest, and freed memory can be used again", () => {
  const budget = createBodyBudget(mib);
  const [ada, eve, bob] = ["ada", "eve", "bob"].map((owner) => budget.open(owner));
  ada?.take(64 * mib);
  expect(() => budget.open("ada").take(1)).toThrow(overloaded);
  eve?.take(63 * mib);
  bob?.take(mib);
  expect(() => bob?.take(1)).toThrow(overloaded);
  ada?.free();
  bob?.take(63 * mib);
  expect(() => budget.open("ada").take(mib + 1)).toThrow(overloaded);
  for (const memory of [ada, eve, bob]) memory?.free();
  budget.open("ada").take(64 * mib);
  budget.open("eve").take(64 * mib);
});

it("a service with large bodies has room for four of one owner at once", () => {
  const budget = createBodyBudget(100 * mib);
  for (let n = 0; n < 4; n += 1) budget.open("ada").take(100 * mib);
  expect(() => budget.open("ada").take(1)).toThrow(overloaded);
});

it("every body equals the bytes of its chunks and takes at most twice their memory, for chunks of any size", () => {
  fc.assert(
    fc.property(fc.array(fc.uint8Array({ maxLength: 50 }), { maxLength: 100 }), (chunks) => {
      let taken = 0;
      const body = createBodyBuffer({ take: (bytes) => (taken += bytes), free() {} });
      for (const chunk of chunks) body.add(chunk);
      const whole = Buffer.concat(chunks);
      expect(body.bytes().equals(whole)).toBe(true);
      expect(taken).toBeGreaterThanOrEqual(whole.length);
      expect(taken).toBeLessThanOrEqual(2 * whole.length);
    }),
  );
});
