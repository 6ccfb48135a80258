import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { localInputOf, momentOfInput } from "./local-input.ts";

describe("an exact time in the reader's time zone", () => {
  it("keeps every time, to the second", () => {
    fc.assert(
      fc.property(
        fc.date({ min: new Date("2000-01-01"), max: new Date("2100-01-01"), noInvalidDate: true }),
        (date) => {
          const moment = `${date.toISOString().slice(0, 19)}.000Z`;
          expect(momentOfInput(localInputOf(moment))).toBe(moment);
        },
      ),
    );
  });

  it("is empty for an invalid time", () => {
    expect([localInputOf(null), localInputOf("soon"), momentOfInput("")]).toEqual(["", "", null]);
  });
});
