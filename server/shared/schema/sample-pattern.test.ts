import * as fc from "fast-check";
import { expect, it } from "vitest";
import { samplePattern } from "./sample-pattern.ts";

it.each([
  String.raw`^(a|b)c?d*$`,
  String.raw`^\+?[1-9]\d{1,14}$`,
  String.raw`^\w+([.-]\w+)*$`,
  String.raw`^\p{L}{2,}\/[^\s\]]$`,
  String.raw`^(?<year>\d{4})-(?:0[1-9]|1[0-2])$`,
  String.raw`^[€\-]{2}\u00e9\u{1F6A6}\x41\n$`,
  String.raw`^👍+$`,
  String.raw`^(|x)\.$`,
  String.raw`\bword\b`,
  String.raw`^a{2}b{2,3}c{0}$`,
  String.raw`^.{3}$`,
  String.raw`^(?=a)[ab]+?$`,
])("finds a string that %s matches, short and long", (pattern) => {
  const regex = new RegExp(pattern, "u");
  for (const least of [0, 3, 50]) expect(samplePattern(pattern, least)).toMatch(regex);
});

it("grows to the requested length", () => {
  expect(samplePattern("^id_[a-z]+$", 8)).toBe("id_defgh");
  expect(samplePattern("^(?:[0-9]{2}:)*$", 6)).toBe("12:45:");
});

it("stops at unsupported syntax, and always ends", () => {
  expect(samplePattern(String.raw`(a)\1`)).toBeNull();
  expect(samplePattern("(")).toBeNull();
  expect(samplePattern("((a{1000}){1000}){1000}")?.length).toBeLessThan(20_000);
  expect(samplePattern("(?:(?:)*)*")).toBe("");
  fc.assert(
    fc.property(
      fc.string({ unit: fc.constantFrom(..."ab^$.*+?()[]{}|\\/1,-:=!<dwp") }),
      fc.nat(50),
      (pattern, least) => {
        const sample = samplePattern(pattern, least);
        expect(sample === null || sample.length < 30_000).toBe(true);
      },
    ),
    { numRuns: 2_000 },
  );
});
