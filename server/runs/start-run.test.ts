import * as fc from "fast-check";
import { expect, it } from "vitest";
import { z } from "zod";
import * as z3 from "zod/v3";
import { AppError } from "../contract/app-error.ts";
import type { Json } from "../contract/json.ts";
import { projectFixture } from "../http/rest/testing/project-fixture.ts";
import { exactLeaves, leaf, schemaCases, withValues } from "../matching/testing/schema-cases.ts";
import type { InputChecks } from "../ports/input-checks.ts";
import type { AnySchema } from "../ports/project.ts";
import { evaluateInput } from "../project/evaluate-input.ts";
import { newInputRun } from "./start-run.ts";

const { manifest } = projectFixture();

/** Whether a run of a workflow with this schema starts. */
async function isAccepted(schema: z.ZodType | z3.ZodTypeAny, input: Json): Promise<boolean> {
  const code = {
    workflow: async (slug: string) => ({ slug, input: schema as unknown as AnySchema, output: null, run() {} }),
  };
  const inputs: InputChecks = { check: (question) => evaluateInput(code, question) };
  const target = { kind: "workflow", slug: "notify" } as const;
  return newInputRun({ inputs }, { manifest, target, input, startedBy: "api", now: 0 }).then(
    () => true,
    (error: unknown) => {
      if (error instanceof AppError && error.code === "invalid_input") return false;
      throw error;
    },
  );
}

/** Schemas that accept other values than their exports. */
const inexactLeaves = [
  leaf(
    z
      .string()
      .toLowerCase()
      .pipe(z.enum(["eur", "usd"])),
    z3
      .string()
      .toLowerCase()
      .pipe(z3.enum(["eur", "usd"])),
    fc.constantFrom("EUR", "usd", "chf"),
  ),
  leaf(
    z.string().trim().pipe(z.literal("A")),
    z3.string().trim().pipe(z3.literal("A")),
    fc.constantFrom("A", " A ", "a"),
  ),
  leaf(z.string().regex(/^..$/), z3.string().regex(/^..$/), fc.constantFrom("👍", "ab", "a", "👍👍")),
  leaf(z.ipv4(), z3.string().ip(), fc.constantFrom("127.0.0.1", "::1", "x")),
  leaf(z.cidrv4(), z3.string().cidr(), fc.constantFrom("10.0.0.0/8", "2001:db8::/32", "10.0.0.0", "x")),
  leaf(z.literal(null), z3.literal(null), fc.constantFrom<Json>(null, "null", 0)),
  leaf(
    z.record(z.enum(["a", "b"]), z.any()),
    z3.record(z3.enum(["a", "b"]), z3.any()),
    fc.constantFrom<Json>({ a: 1 }, { a: 1, b: null }, {}, { c: 1 }),
  ),
  leaf(
    z.object({ a: z.string() }).pipe(z.strictObject({ a: z.string() })),
    z3.object({ a: z3.string() }).pipe(z3.object({ a: z3.string() }).strict()),
    fc.constantFrom<Json>({ a: "x", more: 1 }, { a: "x" }, { more: 1 }),
  ),
  leaf(z.coerce.number(), z3.coerce.number(), fc.constantFrom<Json>("5", "x", null, true, [])),
  leaf(z.stringbool(), z3.coerce.boolean(), fc.constantFrom<Json>("true", "no", "x", true)),
  leaf(z.url({ protocol: /^https$/ }), z3.string().url(), fc.constantFrom("https://a.b", "http://a.b", "x")),
  leaf(z.int().catch(0), z3.number().catch(0), fc.constantFrom<Json>(1, "x", null)),
];

it.each(["four", "three"] as const)(
  "a run starts for every input that its schema of Zod %s accepts, and for no other",
  async (version) => {
    const cases = withValues(schemaCases([...exactLeaves, ...inexactLeaves]));
    await fc.assert(
      fc.asyncProperty(cases, async ({ one, value }) => {
        expect(await isAccepted(one[version], value)).toBe(one[version].safeParse(structuredClone(value)).success);
      }),
      { numRuns: 300 },
    );
  },
);
