import { describe, expect, test } from "vitest";
import { z } from "zod";
import { jsonSchemaObjectSchema } from "../../contract/json.ts";
import { checkSchemaPath } from "./check-path.ts";

const Tree = z.object({
  name: z.string(),
  get children() {
    return z.array(Tree);
  },
});
const schema = jsonSchemaObjectSchema.parse(
  z.toJSONSchema(
    z.object({
      customer: z.object({ email: z.email() }).optional(),
      tags: z.array(z.object({ id: z.int() })),
      pair: z.tuple([z.object({ a: z.string() }), z.string()]),
      more: z.unknown(),
      loose: z.looseObject({ a: z.string() }),
      extra: z.record(z.string(), z.object({ n: z.number() })),
      by: z.union([z.object({ a: z.string() }), z.object({ b: z.string() }), z.null()]),
      both: z.intersection(z.object({ a: z.string() }), z.object({ b: z.string() })),
      tree: Tree,
    }),
    { io: "input" },
  ),
);
const look = (path: string) => checkSchemaPath(schema, path.split("."));

describe("a path into a schema", () => {
  test.each([
    "customer",
    "customer.email",
    "tags",
    "tags.0",
    "tags.12.id",
    "pair.0.a",
    "pair.1",
    "more.what.ever",
    "loose.a",
    "loose.other",
    "extra.any.n",
    "by.a",
    "by.b",
    "both.a",
    "both.b",
    "tree.children.0.children.1.name",
  ])("%s exists", (path) => {
    expect(look(path)).toEqual({ kind: "there" });
  });

  test.each([
    ["custmer.email", "custmer", [], "customer"],
    ["customer.emial", "emial", ["customer"], "email"],
    ["customer.email.length", "length", ["customer", "email"], null],
    ["tags.id", "id", ["tags"], null],
    ["pair.2", "2", ["pair"], null],
    ["extra.any.m", "m", ["extra", "any"], "n"],
    ["by.c", "c", ["by"], "a"],
    ["tree.children.0.nam", "nam", ["tree", "children", "0"], "name"],
    ["__proto__", "__proto__", [], null],
  ])("%s does not exist, and the intended path is suggested", (path, name, before, nearest) => {
    expect(look(path)).toEqual({ kind: "missing", name, before, nearest });
  });
});
