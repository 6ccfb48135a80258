import * as fc from "fast-check";
import { expect, test } from "vitest";
import { newId } from "./ids.ts";

const digits = "0123456789ABCDEFGHJKMNPQRSTVWXYZ";
const timeOf = (id: string) => Array.from(id.slice(4, 14)).reduce((ms, digit) => ms * 32 + digits.indexOf(digit), 0);

test("ids ascend and are ULIDs, also within a millisecond and when the clock is set back", () => {
  // Other tests may have created ids of a later time: ids never go back.
  let before = newId("run");
  let latest = timeOf(before);
  fc.assert(
    fc.property(fc.integer({ min: -5_000, max: 5_000 }), fc.integer({ min: 1, max: 50 }), (ms, times) => {
      const now = latest + ms;
      latest = Math.max(latest, now);
      for (let n = 0; n < times; n += 1) {
        const id = newId("run", now);
        expect(id).toMatch(/^run_[0-7][0-9A-HJKMNP-TV-Z]{25}$/);
        expect(id > before).toBe(true);
        // The next millisecond, if those of this one are used up.
        expect(timeOf(id) - latest).toBeOneOf([0, 1]);
        latest = timeOf(id);
        before = id;
      }
    }),
  );
});

test("three million ids of a millisecond are distinct and ascend", () => {
  const now = Date.now() + 1_000_000;
  let before = "";
  let areAscending = true;
  for (let n = 0; n < 3_000_000; n += 1) {
    const id = newId("dlv", now);
    areAscending &&= id > before;
    before = id;
  }
  expect(areAscending).toBe(true);
});
