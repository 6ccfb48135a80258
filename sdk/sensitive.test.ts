import { expect, it } from "vitest";
import { z } from "zod";
import { z as z3 } from "zod/v3";
import { exportSchema } from "../cli/build/schema/export.ts";
import { lintSchema } from "../cli/build/schema/lint.ts";
import { sensitive } from "./sensitive.ts";

it("a marked schema parses as before, keeps its description, and its original has no mark", async () => {
  const original = z.email().describe("Of the customer");
  const marked = sensitive(original);
  expect([marked.safeParse("ada@example.com").success, marked.safeParse("ada").success]).toEqual([true, false]);
  expect(exportSchema(marked)).toMatchObject({ description: "Of the customer", "x-signalbox-sensitive": true });
  expect(exportSchema(original)).not.toHaveProperty("x-signalbox-sensitive");
  const old = z3.string().email().describe("Of the customer");
  expect(exportSchema(sensitive(old))).toMatchObject({ description: "Of the customer", "x-signalbox-sensitive": true });
  expect(exportSchema(old)).not.toHaveProperty("x-signalbox-sensitive");
  const { findings } = await lintSchema(z.object({ a: marked, b: z.string().meta({ sensitive: true }) }));
  expect(findings).toEqual([]);
});

it("a union of plain types of Zod 3 keeps the mark of its parts", () => {
  const sensitiveString = { type: "string", "x-signalbox-sensitive": true };
  expect(exportSchema(z3.union([sensitive(z3.string()), z3.number()]))).toMatchObject({
    anyOf: [sensitiveString, { type: "number" }],
  });
  expect(exportSchema(sensitive(z3.string()).nullable())).toMatchObject({ anyOf: [sensitiveString, { type: "null" }] });
});

it("a mark that is taken back is none, and a value that is no schema cannot be marked", () => {
  expect(exportSchema(z.string().meta({ sensitive: false }))).toEqual(exportSchema(z.string()));
  expect(() => sensitive({} as never)).toThrow("sensitive() takes a Zod schema");
});
