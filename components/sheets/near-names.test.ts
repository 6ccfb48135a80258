import { describe, expect, it } from "vitest";
import { nearNames } from "./near-names.ts";

describe("near names", () => {
  const known = ["invoice-paid", "invoice-failed", "new-signup", "ci-failed", "invoice-paid"];

  it("the nearest name comes first, without duplicates", () =>
    expect(nearNames("invoice-pad", known)).toEqual(["invoice-paid", "invoice-failed"]));

  it("a name that shares a word is near", () => expect(nearNames("signup", known)).toEqual(["new-signup"]));

  it("distant names are not suggested", () => expect(nearNames("zebra", known)).toEqual([]));
});
