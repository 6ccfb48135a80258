import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { z } from "zod";
import * as z3 from "zod/v3";
import type { Json } from "../../contract/json.ts";
import type { AnySchema } from "../../ports/project.ts";
import { parseBody } from "../match-triggers.ts";

type Either = z.ZodType | z3.ZodTypeAny;

function pointersOf(schema: Either, body: Json): string[] {
  const outcome = parseBody(schema as unknown as AnySchema, body);
  return outcome.success ? ["fits"] : outcome.reasons.map(({ pointer, expected }) => `${pointer} ${expected}`);
}

const both = <Zod>(make: (zod: Zod) => Either): [string, Either][] => [
  ["Zod 4", make(z as Zod)],
  ["Zod 3", make(z3 as Zod)],
];

describe.each<[string, typeof z]>([
  ["Zod 4", z],
  ["Zod 3", z3 as unknown as typeof z],
])("with %s, a union that fails is explained by", (_, zod) => {
  const contact = () => zod.object({ email: zod.string(), name: zod.string(), age: zod.number() });
  const phone = () => zod.object({ phone: zod.string() });

  test("the alternative whose fields the body has, although more of it is wrong", () => {
    const body = { email: "a@example.com", name: 5, age: "y" };
    expect(pointersOf(zod.union([contact(), phone()]), body)).toEqual(["/name a string", "/age a number"]);
    expect(pointersOf(zod.union([phone(), contact()]), body)).toEqual(["/name a string", "/age a number"]);
  });

  test("the alternative of which only one field is missing", () => {
    expect(pointersOf(zod.union([phone(), contact()]), { email: "a@example.com", name: "Ada" })).toEqual([
      "/age a number",
    ]);
  });

  test("the alternative whose literal the body has, even if other fixed values are wrong", () => {
    const card = zod.object({
      type: zod.literal("card"),
      currency: zod.enum(["eur", "usd"]),
      level: zod.enum(["low", "high"]),
    });
    const sepa = zod.object({ type: zod.literal("sepa"), iban: zod.string() });
    expect(
      pointersOf(zod.object({ by: zod.union([sepa, card]) }), { by: { type: "card", currency: "gbp", level: "none" } }),
    ).toEqual(["/by/currency one of eur, usd", "/by/level one of low, high"]);
  });

  test("the field that tells the alternatives apart, where its value is none of theirs", () => {
    const union = zod.union([
      zod.object({ type: zod.literal("a"), n: zod.number() }),
      zod.object({ type: zod.literal("b"), t: zod.string() }),
    ]);
    expect(pointersOf(zod.object({ event: union }), { event: { type: "c", n: 1 } })).toEqual([
      "/event/type one of a, b",
    ]);
    expect(pointersOf(zod.object({ event: union }), { event: {} })).toEqual(["/event/type one of a, b"]);
    expect(pointersOf(zod.object({ event: union }), { event: { t: 5 } })).toEqual([
      '/event/type "b"',
      "/event/t a string",
    ]);
  });

  test("a literal deeper in the body, in lists and records, through optional, nullable and lazy schemas", () => {
    const event = (name: string, fields: Record<string, z.ZodType>) =>
      zod.object({ meta: zod.object({ name: zod.literal(name) }), ...fields });
    const union = zod.lazy(() =>
      zod
        .union([
          event("created", { by: zod.string() }),
          event("removed", { at: zod.string(), why: zod.string().optional() }),
        ])
        .nullable(),
    );
    const schema = zod.object({ events: zod.record(zod.string(), zod.array(union)).optional() });
    expect(pointersOf(schema, { events: { x: [null, { meta: { name: "removed" }, by: "ada" }] } })).toEqual([
      "/events/x/1/at a string",
    ]);
  });

  test("the nearest alternative of a union in a union", () => {
    const inner = zod.union([contact(), phone()]);
    expect(pointersOf(zod.union([zod.string(), zod.union([zod.number(), inner])]), { phone: 5 })).toEqual([
      "/phone a string",
    ]);
    const outer = zod.union([
      zod.object({ who: inner, kind: zod.literal("x") }),
      zod.object({ kind: zod.literal("y") }),
    ]);
    expect(pointersOf(outer, { kind: "x", who: { email: "a", name: "b" } })).toEqual(["/who/age a number"]);
  });
});

/** Alternatives with fields of their own, and which of them a body was made by. */
const shapes = fc.array(fc.uniqueArray(fc.constantFrom("a", "b", "c"), { minLength: 2, maxLength: 3 }), {
  minLength: 2,
  maxLength: 4,
});

describe("for every union", () => {
  test("of objects with fields of their own, every mistake is reported where it is, in whichever order the alternatives stand", () => {
    const state = fc.constantFrom<"right" | "wrong" | "missing">("right", "wrong", "missing");
    fc.assert(
      fc.property(
        shapes,
        fc.nat(),
        fc.tuple(state, state, state),
        fc.boolean(),
        (alternatives, pick, states, isReversed) => {
          const own = alternatives.map((fields, index) => fields.map((field) => `${field}${index}`));
          const meant = (own[pick % own.length] ?? []).map((name, index) => ({
            name,
            state: states[index] ?? "right",
          }));
          const wrong = meant.filter((field) => field.state !== "right");
          fc.pre(wrong.length > 0 && meant.some((field) => field.state !== "missing"));
          const body = Object.fromEntries(
            meant
              .filter((field) => field.state !== "missing")
              .map((field): [string, Json] => [field.name, field.state === "wrong" ? 5 : "text"]),
          );
          for (const [, schema] of both<typeof z>((zod) => {
            const options = own.map((fields) =>
              zod.object(Object.fromEntries(fields.map((name) => [name, zod.string()]))),
            );
            return zod.union((isReversed ? options.toReversed() : options) as unknown as [z.ZodType, z.ZodType]);
          }))
            expect(pointersOf(schema, body)).toEqual(wrong.map(({ name }) => `/${name} a string`));
        },
      ),
      { numRuns: 300 },
    );
  });

  test("with a literal of its own for each alternative, the literal decides, regardless of other errors", () => {
    fc.assert(
      fc.property(
        shapes,
        fc.nat(),
        fc.dictionary(fc.constantFrom("a", "b", "c", "d"), fc.constantFrom<Json>("text", 5, null)),
        (alternatives, pick, fields) => {
          const meant = pick % alternatives.length;
          const body: Json = { ...fields, type: `t${meant}` };
          const wrong = (alternatives[meant] ?? []).filter((name) => typeof fields[name] !== "string");
          for (const [, schema] of both<typeof z>((zod) =>
            zod.union(
              alternatives.map((names, index) =>
                zod.object({
                  ...Object.fromEntries(names.map((name) => [name, zod.string()])),
                  type: zod.literal(`t${index}`),
                }),
              ) as unknown as [z.ZodType, z.ZodType],
            ),
          )) {
            expect(pointersOf(schema, body)).toEqual(
              wrong.length === 0 ? ["fits"] : wrong.map((name) => `/${name} a string`),
            );
          }
        },
      ),
      { numRuns: 300 },
    );
  });
});
