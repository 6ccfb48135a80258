import { describe, expect, it } from "vitest";
import { didYouMean, nearNames } from "./did-you-mean.ts";

describe("did you mean", () => {
  it.each([
    ["limt", "limit"],
    ["Status", "status"],
    ["tirgger", "trigger"],
    ["new-singup", "new-signup"],
    ["sned", "send"],
  ])("guesses %s as %s", (given, meant) => {
    expect(didYouMean(given, ["limit", "status", "trigger", "new-signup", "send"])).toBe(` Did you mean "${meant}"?`);
  });

  it("suggests nothing if nothing is near", () => {
    expect(didYouMean("payload", ["limit", "status"])).toBe("");
    expect(didYouMean("x", [])).toBe("");
  });
});

describe("near names", () => {
  const known = ["invoice-paid", "invoice-failed", "new-signup", "ci-failed", "invoice-paid"];

  it("the nearest name comes first, without duplicates", () =>
    expect(nearNames("invoice-pad", known)).toEqual(["invoice-paid", "invoice-failed"]));

  it("a name that shares a word is near", () => expect(nearNames("signup", known)).toEqual(["new-signup"]));

  it("distant names are not suggested", () => expect(nearNames("zebra", known)).toEqual([]));
});
