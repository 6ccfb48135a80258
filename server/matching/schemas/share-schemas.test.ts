import { describe, expect, test } from "vitest";
import { z } from "zod";
import * as z3 from "zod/v3";
import type { AnySchema, TriggerSource } from "../../ports/project.ts";
import { shareSchemas } from "./share-schemas.ts";

const trigger = (request: unknown, at = 0): TriggerSource => ({
  slug: `t${at}`,
  endpoint: "e",
  attachmentId: `t${at}:w`,
  target: { kind: "workflow", slug: "w" },
  request: request as AnySchema,
  filter: null,
});
const areOne = (a: unknown, b: unknown) => {
  const [first, second] = shareSchemas([trigger(a), trigger(b, 1)]);
  return first?.request === second?.request;
};

describe("shareSchemas", () => {
  const alike: [string, () => unknown][] = [
    [
      "objects of all kinds of parts",
      () =>
        z.object({
          a: z.string().trim().min(2),
          b: z.int().optional(),
          c: z.enum(["x", "y"]).default("x"),
          d: z.array(z.union([z.literal(1), z.null()])),
          e: z.record(z.string(), z.email()),
          f: z.string().regex(/^a/i),
        }),
    ],
    ["strict and loose objects", () => z.strictObject({ a: z.looseObject({ b: z.boolean() }) })],
    [
      "texts that are trimmed and lowered, with a description",
      () => z.object({ a: z.string().trim().toLowerCase() }).describe("x"),
    ],
    [
      "discriminated unions and intersections",
      () =>
        z
          .discriminatedUnion("a", [z.object({ a: z.literal("x") }), z.object({ a: z.literal("y") })])
          .and(z.object({ b: z.tuple([z.number()]) })),
    ],
    [
      "schemas of Zod 3",
      () =>
        z3.object({
          a: z3.string().min(2, "short"),
          b: z3.array(z3.literal(1)),
          c: z3.object({ d: z3.enum(["x"]) }).strict(),
        }),
    ],
  ];
  test.each(alike)("makes one of %s that are written alike", (_, write) => {
    expect(areOne(write(), write())).toBe(true);
  });

  const unlike: [string, unknown, unknown][] = [
    ["a value", z.object({ a: z.literal("x") }), z.object({ a: z.literal("y") })],
    ["the kind of a value", z.object({ a: z.literal("1") }), z.object({ a: z.literal(1) })],
    ["a check", z.string().min(2), z.string().min(3)],
    ["the order of checks", z.string().trim().min(2), z.string().min(2).trim()],
    ["the order of fields", z.object({ a: z.string(), b: z.string() }), z.object({ b: z.string(), a: z.string() })],
    ["a message", z.string("x"), z.string("y")],
    ["what is done to a text", z.string().trim(), z.string().toLowerCase()],
    ["a message that is made", z.string({ error: () => "x" }), z.string({ error: () => "y" })],
    ["the flags of a pattern", z.string().regex(/a/), z.string().regex(/a/i)],
    ["how other fields are treated", z.object({}), z.looseObject({})],
    ["a format", z.email(), z.uuid()],
    ["the version of Zod", z.string(), z3.string()],
    ["the version of a UUID", z.uuidv4(), z.uuidv7()],
    ["a default", z.string().default("x"), z.string().default("y")],
    ["code", z.string().transform((text) => `${text}1`), z.string().transform((text) => `${text}2`)],
    ["a check in Zod 3", z3.string().min(2), z3.string().min(3)],
    ["a message in Zod 3", z3.string().min(2, "x"), z3.string().min(2, "y")],
    ["the fields in Zod 3", z3.object({ a: z3.string() }), z3.object({ a: z3.number() })],
    ["how other fields are treated in Zod 3", z3.object({}), z3.object({}).strict()],
  ];
  test.each(unlike)("keeps apart schemas that differ in %s", (_, a, b) => {
    expect(areOne(a, b)).toBe(false);
  });

  test("ends at schemas that lead round to themselves", () => {
    const tree = z.object({
      name: z.string(),
      get children() {
        return z.array(tree);
      },
    });
    expect(areOne(tree, tree)).toBe(true);
  });
});
