import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { z } from "zod";
import { z as z3 } from "zod/v3";
import { exportSchema } from "../../../cli/build/schema/export.ts";
import { sensitive } from "../../../sdk/sensitive.ts";
import type { Json } from "../../contract/json.ts";
import { createFaker } from "./fake-value.ts";
import { maskJson, type MaskedValue } from "./mask-json.ts";
import { findSensitive } from "./sensitive-schema.ts";

const faker = createFaker(Buffer.from("the key of one installation"));

function mask(schema: unknown, body: Json, replaced: MaskedValue[] = []): Json {
  return maskJson(body, findSensitive([exportSchema(schema)]), { faker, replaced });
}

const canary = "Canary8Value";

/** A schema with one sensitive string in it, and a body with a canary there. */
interface Case {
  schema: z.ZodType;
  old: z3.ZodTypeAny;
  body: Json;
}

const cases: fc.Arbitrary<Case> = fc.letrec<{ any: Case }>((tie) => {
  const any = tie("any");
  return {
    any: fc.oneof(
      { depthSize: "small", withCrossShrink: true },
      fc.constantFrom<Case>(
        { schema: z.string().meta({ sensitive: true }), old: sensitive(z3.string()), body: canary },
        { schema: sensitive(z.string().min(1)), old: sensitive(z3.string().min(1)), body: canary },
        { schema: sensitive(z.string()).max(20), old: sensitive(z3.string()).max(20), body: canary },
        {
          schema: sensitive(z.object({ a: z.array(z.string()) })),
          old: sensitive(z3.object({ a: z3.array(z3.string()) })),
          body: { a: ["b", canary] },
        },
        {
          schema: sensitive(z.record(z.string(), z.string())),
          old: sensitive(z3.record(z3.string())),
          body: { [canary]: canary },
        },
      ),
      any.map(({ schema, old, body }) => ({
        schema: z.object({ a: z.string(), "b/~%": schema }),
        old: z3.object({ a: z3.string(), "b/~%": old }),
        body: { a: "visible", "b/~%": body },
      })),
      any.map(({ schema, old, body }) => ({ schema: z.array(schema), old: z3.array(old), body: [body, body] })),
      any.map(({ schema, old, body }) => ({
        schema: z.record(z.string(), schema),
        old: z3.record(old),
        body: { a: body, __proto: body },
      })),
      any.map(({ schema, old, body }) => ({
        schema: z.union([z.boolean(), schema]),
        old: z3.union([z3.boolean(), old]),
        body,
      })),
      any.map(({ schema, old, body }) => ({
        schema: z.tuple([z.number(), schema]),
        old: z3.tuple([z3.number(), old]),
        body: [1, body],
      })),
      any.map(({ schema, old, body }) => ({ schema: schema.nullable(), old: old.nullable(), body })),
      any.map(({ schema, old, body }) => ({
        schema: z.object({ a: schema.optional() }),
        old: z3.object({ a: old.optional() }),
        body: { a: body },
      })),
      any.map(({ schema, old, body }) => {
        const node: z.ZodType = z.object({
          a: schema,
          get again() {
            return z.array(node).optional();
          },
        });
        const oldNode: z3.ZodTypeAny = z3.object({ a: old, again: z3.lazy(() => z3.array(oldNode).optional()) });
        return { schema: node, old: oldNode, body: { a: body, again: [{ a: body, again: [{ a: body }] }] } };
      }),
      // Behind a change, nothing but the mark is known of the value.
      any.map(({ schema, old, body }) => ({
        schema: z.any().prefault(0).pipe(schema),
        old: z3.any().default(0).pipe(old),
        body,
      })),
      any.map(({ schema, old, body }) => ({
        schema: z.object({ a: z.any(), b: z.string().trim() }).pipe(z.strictObject({ a: schema, b: z.literal("b") })),
        old: z3.object({ a: z3.any(), b: z3.string().trim() }).pipe(z3.object({ a: old, b: z3.literal("b") }).strict()),
        body: { a: body, b: " b ", dropped: "visible" },
      })),
      any.map(({ schema, old, body }) => ({
        schema: z
          .looseObject({})
          .pipe(z.looseObject({ a: schema }))
          .readonly(),
        old: z3
          .object({})
          .passthrough()
          .pipe(z3.object({ a: old }))
          .readonly(),
        body: { a: body },
      })),
      any.map(({ schema, old, body }) => {
        const node: z.ZodType = z.object({ a: schema, again: z.lazy(() => z.any().prefault(0).pipe(node)).optional() });
        const oldNode: z3.ZodTypeAny = z3.object({
          a: old,
          again: z3.lazy(() => z3.any().default(0).pipe(oldNode)).optional(),
        });
        return { schema: node, old: oldNode, body: { a: body, again: { a: body, again: { a: body } } } };
      }),
      any.map(({ schema, old, body }) => ({
        schema: z.record(z.string().toLowerCase(), z.array(schema).meta({ title: "A", items: false })),
        old: z3.record(z3.string().toLowerCase(), z3.array(old)),
        body: { Upper: [body], lower: [body] },
      })),
      any.map(({ schema, old, body }) => ({
        schema: z.object({ a: z.nonoptional(schema.optional()).brand("b") }).catchall(schema),
        old: z3.object({ a: old.brand("b") }).catchall(old),
        body: { a: body, more: body },
      })),
      any.map(({ schema, old, body }) => ({
        schema: z.record(z.enum(["a"]), schema).and(z.strictObject({ b: z.null() })),
        old: z3.object({ a: old }).and(z3.object({ b: z3.null() }).strip()),
        body: { a: body, b: null },
      })),
      any.map(({ schema, old, body }) => ({
        schema: z.looseRecord(z.string().regex(/^.{2}$/), schema),
        old: z3.record(old),
        body: { ab: body, "👍": body },
      })),
      any.map(({ schema, old, body }) => ({
        schema: z.intersection(z.object({ a: schema }), z.object({ b: z.string() })),
        old: z3.intersection(z3.object({ a: old }), z3.object({ b: z3.string() })),
        body: { a: body, b: "visible" },
      })),
    ),
  };
}).any;

describe("a sensitive value", () => {
  it("is found at every place of every schema, of Zod 4 and of Zod 3, and its fake matches", () => {
    fc.assert(
      fc.property(cases, ({ schema, old, body }) => {
        expect(schema.safeParse(body).success).toBe(true);
        const masked = [mask(schema, body), mask(old, body)];
        expect(JSON.stringify(masked)).not.toContain(canary);
        expect([schema.safeParse(masked[0]).success, old.safeParse(masked[1]).success]).toEqual([true, true]);
      }),
      { numRuns: 300 },
    );
  });

  it("is found in a value of the wrong type", () => {
    const card = z.object({ card: z.object({ number: sensitive(z.string()) }), tags: z.array(sensitive(z.string())) });
    const wrong: Json[] = [
      { card: canary },
      { card: [canary] },
      { card: [{ number: canary }] },
      { tags: { a: canary } },
      canary,
    ];
    for (const body of wrong) expect(JSON.stringify(mask(card, body))).not.toContain(canary);
    expect(mask(card, { card: 4_242_424_242 })).not.toEqual({ card: 4_242_424_242 });
  });

  it("leaves everything else as it is", () => {
    const schema = z.object({
      id: z.string(),
      email: sensitive(z.email()),
      on: sensitive(z.boolean()),
      no: sensitive(z.null()),
    });
    const replaced: MaskedValue[] = [];
    const body = { id: "evt_1", email: "ada@hopper.dev", on: true, no: null, other: { email: "seen" } };
    const masked = mask(schema, body, replaced);
    expect(masked).toEqual({
      id: "evt_1",
      email: expect.stringMatching(/^[a-z]{12}@example\.com$/),
      on: false,
      no: null,
      other: { email: "seen" },
    });
    expect(replaced.map(({ original }) => original)).toEqual(["ada@hopper.dev"]);
    expect(findSensitive([exportSchema(z.object({ a: z.string() })), null])).toBeNull();
  });

  it("is found in a template", () => {
    const schema = z.object({ id: z.templateLiteral(["id-", z.string().meta({ sensitive: true })]) });
    expect(JSON.stringify(mask(schema, { id: `id-${canary}` }))).not.toContain(canary);
  });

  it("is found in the keys of a record", () => {
    for (const schema of [z.record(sensitive(z.string()), z.int()), z3.record(sensitive(z3.string()), z3.number())])
      expect(JSON.stringify(mask(schema, { [canary]: 1 }))).not.toContain(canary);
  });

  it("of a fixed value stays one of the fixed values", () => {
    const schema = z.object({ plan: sensitive(z.enum(["free", "gold", "none"])), kind: sensitive(z.literal("visit")) });
    const masked = mask(schema, { plan: "gold", kind: "visit" });
    expect(schema.safeParse(masked).success).toBe(true);
    expect(masked).toMatchObject({ kind: "visit" });
  });
});
