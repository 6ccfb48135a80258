import * as fc from "fast-check";
import { expect, it } from "vitest";
import { roleSchema } from "../../contract/access/person.ts";
import { checkChange } from "./people.ts";

it("the last admin can be neither removed nor demoted", () => {
  const people = [
    { id: "ada", role: "admin" as const },
    { id: "bob", role: "viewer" as const },
  ];
  expect(checkChange(people, { id: "ada", to: null })).toBe("last-admin");
  expect(checkChange(people, { id: "ada", to: "operator" })).toBe("last-admin");
  expect(checkChange(people, { id: "ada", to: "admin" })).toBe("changed");
  expect(checkChange(people, { id: "bob", to: null })).toBe("changed");
  expect(checkChange(people, { id: "eve", to: "admin" })).toBe("unknown");
});

it("no sequence of changes leaves people without an admin", () => {
  const change = fc.record({
    id: fc.constantFrom("a", "b", "c", "d"),
    to: fc.option(fc.constantFrom(...roleSchema.options)),
  });
  fc.assert(
    fc.property(fc.array(change, { maxLength: 30 }), (changes) => {
      let people = ["a", "b", "c"].map((id) => ({ id, role: roleSchema.parse("admin") }));
      for (const { id, to } of changes) {
        if (checkChange(people, { id, to }) === "changed")
          people = people.flatMap((one) => (one.id !== id ? [one] : to === null ? [] : [{ id, role: to }]));
        expect(people.some(({ role }) => role === "admin")).toBe(true);
      }
    }),
  );
});
