import { describe, expect, it } from "vitest";
import { atLeast, atMost } from "./goal.ts";

describe("goals", () => {
  it("are met by the limit itself", () => {
    expect([atLeast(0.35, 0.35), atMost(3, 3)]).toEqual([
      { goal: "≥ 0.35", isMet: true },
      { goal: "≤ 3", isMet: true },
    ]);
  });

  it("are missed by a value on the other side of the limit", () => {
    expect([atLeast(12_000, 11_999), atMost(260, 260.1)]).toEqual([
      { goal: "≥ 12,000", isMet: false },
      { goal: "≤ 260", isMet: false },
    ]);
  });

  it("are missed if nothing could be measured", () => {
    expect([atLeast(1, Number.NaN).isMet, atMost(1, Number.NaN).isMet]).toEqual([false, false]);
  });
});
