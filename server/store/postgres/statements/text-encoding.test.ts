import * as fc from "fast-check";
import { expect, it } from "vitest";
import { fromPostgresText, toPostgresText } from "./text-encoding.ts";

const units = fc.oneof(
  fc.constantFrom("\0", "\ufffe", "\ud800", "\udc00", "0", "f", "😀"),
  fc.string({ unit: "binary", maxLength: 1 }),
);

it("gives every string back as it was, and writes only what Postgres takes", () => {
  fc.assert(
    fc.property(fc.array(units), (parts) => {
      const text = parts.join("");
      const written = toPostgresText(text);
      expect(fromPostgresText(written)).toBe(text);
      expect(written.isWellFormed()).toBe(true);
      expect(written).not.toContain("\0");
    }),
  );
});

it("leaves what Postgres takes as it is", () => {
  for (const text of ["", "plain", "Müller 😀", "\u0001\uffff"]) expect(toPostgresText(text)).toBe(text);
});
