import { describe, expect, it } from "vitest";
import { didYouMean } from "./did-you-mean.ts";

describe("did you mean", () => {
  it.each([
    ["limt", "limit"],
    ["Status", "status"],
    ["tirgger", "trigger"],
    ["new-singup", "new-signup"],
  ])("guesses %s as %s", (given, meant) => {
    expect(didYouMean(given, ["limit", "status", "trigger", "new-signup"])).toBe(` Did you mean "${meant}"?`);
  });

  it("suggests nothing if nothing is near", () => {
    expect(didYouMean("payload", ["limit", "status"])).toBe("");
    expect(didYouMean("x", [])).toBe("");
  });
});
