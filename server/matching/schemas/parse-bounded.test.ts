import { createRequire } from "node:module";
import * as fc from "fast-check";
import { describe, expect, test, vi } from "vitest";
import { z } from "zod";
import * as mini from "zod/mini";
import * as z3 from "zod/v3";
import type { Json } from "../../contract/json.ts";
import type { AnySchema } from "../../ports/project.ts";
import { parseBody, type ParseOutcome } from "../match-triggers.ts";
import { explainIssues } from "../explain/explain.ts";
import { parseBounded } from "./parse-bounded.ts";
import { toJson } from "./to-json.ts";
import { toSchema, type Version } from "../testing/build-shape.ts";
import { bodiesNear, type Shape, shapes } from "../testing/shapes.ts";

/** What Zod says when nothing is left out. */
function askPlainly(schema: AnySchema, body: Json): ParseOutcome {
  const parsed = schema.safeParse(body);
  return parsed.success
    ? { success: true, payload: toJson(parsed.data) }
    : { success: false, reasons: explainIssues(parsed.error.issues, body, schema) };
}

/** The same body with longer lists: each item comes again and again, and each object has more members. */
function stretch(body: Json, times: number): Json {
  if (Array.isArray(body))
    return Array.from({ length: times }, () => body.map((item) => stretch(item, Math.min(times, 2)))).flat();
  if (typeof body !== "object" || body === null) return body;
  const members = Object.entries(body).map(([name, value]): [string, Json] => [name, stretch(value, times)]);
  const [first] = members;
  const more = first
    ? Array.from({ length: times > 30 ? times : 0 }, (_, n): [string, Json] => [
        `more-${n}`,
        n % 7 === 0 ? null : first[1],
      ])
    : [];
  return Object.fromEntries([...members, ...more]);
}

const lists: fc.Arbitrary<Shape> = shapes.chain((of) =>
  fc.constantFrom<Shape>(
    { kind: "list", of },
    { kind: "record", of },
    { kind: "object", others: "strip", fields: { a: { kind: "list", of }, b: of } },
    {
      kind: "union",
      options: [
        { kind: "list", of },
        { kind: "object", others: "strip", fields: { a: { kind: "list", of } } },
      ],
    },
    {
      kind: "union",
      options: [
        { kind: "list", of: { kind: "text" } },
        { kind: "list", of },
        { kind: "record", of },
      ],
    },
    {
      kind: "both",
      others: "strip",
      left: { a: { kind: "list", of } },
      right: { a: { kind: "record", of }, b: { kind: "list", of } },
    },
  ),
);

const bodiesOf = (shape: Shape) =>
  fc
    .record({
      near: bodiesNear(shape),
      wrap: fc.constantFrom<(body: Json) => Json>(
        (body) => body,
        (body) => [body],
        (body) => ({ a: body }),
        (body) => ({ a: [body, "x", body] }),
        (body) => ({ a: [null, {}], b: body }),
      ),
      times: fc.constantFrom(1, 3, 50, 90),
    })
    .map(({ near, wrap, times }) => stretch(wrap(near), times));

const cases = fc.record({
  version: fc.constantFrom<Version>(3, 4, 4, "mini"),
  of: lists.chain((shape) => fc.tuple(fc.constant(shape), bodiesOf(shape))),
});

const internalsOf = (schema: z.core.$ZodType) => schema._zod as unknown as Record<string, unknown>;

describe("the installed Zod", () => {
  const { version } = createRequire(import.meta.url)("zod/package.json") as { version: string };
  const changed = `Zod ${version} works differently inside. Adapt server/matching/schemas/parse-bounded.ts to it.`;

  test.each<[type: string, part: string, schema: z.core.$ZodType]>([
    ["array", "element", z.array(z.string())],
    ["array", "element", mini.array(mini.string())],
    ["record", "keyType", z.record(z.string(), z.string())],
    ["record", "valueType", z.record(z.string(), z.string())],
    ["tuple", "items", z.tuple([z.string()], z.string())],
    ["tuple", "rest", z.tuple([z.string()], z.string())],
    ["union", "options", z.union([z.string(), z.number()])],
    ["union", "discriminator", z.discriminatedUnion("a", [z.object({ a: z.literal(1) })])],
    ["intersection", "left", z.intersection(z.string(), z.string())],
    ["intersection", "right", z.intersection(z.string(), z.string())],
    ["object", "shape", z.object({})],
    ["object", "catchall", z.strictObject({})],
    ["optional", "innerType", z.string().optional()],
    ["pipe", "in", z.pipe(z.string(), z.string())],
    ["pipe", "out", z.pipe(z.string(), z.string())],
  ])("describes an %s, and its %s", (type, part, schema) => {
    const { def, parse, run } = internalsOf(schema);
    expect(def, changed).toMatchObject({ type, [part]: expect.anything() });
    expect([typeof parse, typeof run], changed).toEqual(["function", "function"]);
    expect(run, changed).toBe(parse);
  });

  test("creates the schema of a lazy one when it is read", () => {
    const create = vi.fn<() => z.ZodType>(() => z.string());
    const { def, innerType } = internalsOf(z.lazy(create));
    expect([def, innerType, create.mock.calls.length], changed).toMatchObject([{ type: "lazy" }, { _zod: {} }, 1]);
  });

  test.each([
    ["an array", (item: z.ZodType) => z.array(item), [1, 2]],
    ["a record", (item: z.ZodType) => z.record(z.string(), item), { a: 1, b: 2 }],
    ["the rest of a tuple", (item: z.ZodType) => z.tuple([z.string()], item), ["a", 1, 2]],
  ])("parses each item of %s by the item's own `run`, with a value and a list of issues", (_, listOf, value) => {
    const item = z.string();
    const run = vi.spyOn(item._zod, "run");
    listOf(item).safeParse(value);
    expect(run.mock.calls, changed).toHaveLength(2);
    expect(run.mock.results[0]?.value, changed).toMatchObject({ value: 1, issues: [{ code: "invalid_type" }] });
  });

  test("3 pushes the issues of all items to one list", () => {
    const issues: unknown[] = [];
    const common = { issues, async: false, contextualErrorMap: undefined };
    const parent = { common, path: [], schemaErrorMap: undefined, parent: null, data: [1, 2], parsedType: "unknown" };
    const list = z3.array(z3.string());
    const parse: unknown = Reflect.get(list, "_parseSync");
    if (typeof parse !== "function") throw new Error(changed);
    expect(parse.call(list, { data: [1, 2], path: [], parent }), changed).not.toMatchObject({ status: "valid" });
    expect(issues, changed).toHaveLength(2);
  });
});

describe("parsing with few issues", () => {
  test("says of every body what Zod says, of every schema of either version: the outcome, the reasons, the payload", () => {
    let rejected = 0;
    fc.assert(
      fc.property(cases, ({ version, of: [shape, body] }) => {
        const bounded = parseBody(toSchema({ shape, version }), body);
        expect(bounded).toEqual(askPlainly(toSchema({ shape, version }), body));
        if (!bounded.success && bounded.reasons.length === 20) rejected += 1;
      }),
      { numRuns: 600 },
    );
    // The bound was reached, again and again.
    expect(rejected).toBeGreaterThan(30);
  });

  const items = { items: Array.from({ length: 5000 }, () => 1) };
  const many = Object.fromEntries(Array.from({ length: 5000 }, (_, n) => [`k${n}`, n]));
  type Node = { name: string; kids?: Node[] | undefined };
  const node: z.ZodType<Node> = z.object({
    name: z.string(),
    get kids() {
      return z.array(node).optional();
    },
  });
  test.each<[string, unknown, Json]>([
    ["an array", z.object({ items: z.array(z.string()) }), items],
    ["an array with checks", z.object({ items: z.array(z.string()).min(1).max(9000) }), items],
    [
      "an array of its own kind",
      z.object({ items: z.array(node) }),
      {
        items: Array.from({ length: 90 }, () => ({ name: "a", kids: Array.from({ length: 90 }, () => ({ name: 1 })) })),
      },
    ],
    ["a lazy one", z.lazy(() => z.object({ items: z.array(z.string()) })), items],
    ["one that is created at each call", endless(), items],
    ["one whose getters create more", growing(), items],
    ["a record's values", z.record(z.string(), z.string()), many],
    ["a record's keys", z.record(z.email(), z.number()), many],
    ["the rest of a tuple", z.object({ items: z.tuple([z.number()], z.string()) }), items],
    ["an array of zod/mini", mini.object({ items: mini.array(mini.string()) }), items],
    [
      "one that a field selects",
      z.discriminatedUnion("kind", [
        z.object({ kind: z.literal("a"), items: z.array(z.string()) }),
        z.object({ kind: z.literal("b") }),
      ]),
      { kind: "a", ...items },
    ],
    [
      "an array among alternatives",
      z.union([z.object({ items: z.array(z.string()) }), z.object({ other: z.string(), more: z.string() })]),
      items,
    ],
    ["an array of Zod 3", z3.object({ items: z3.array(z3.string()) }), items],
  ])("keeps few issues of %s, with 5,000 items that are wrong", (_, made, body) => {
    const schema = made as AnySchema;
    const parsed = parseBounded(schema, body);
    expect(parsed.success ? 0 : countIssues(parsed.error.issues)).toSatisfy((count) => count >= 20 && count <= 130);
    // The schema itself still returns all issues.
    const plain = schema.safeParse(body);
    expect(plain.success ? 0 : countIssues(plain.error.issues)).toBeGreaterThan(4900);
  });

  test("the alternative with the fewest mistakes is explained, also where all have more than are kept", () => {
    const body = { list: [...Array.from({ length: 90 }, (_, n) => n), ...Array.from({ length: 60 }, () => "x")] };
    const outcome = parseBody(twoLists(), body);
    expect(outcome).toMatchObject({
      success: false,
      reasons: [{ pointer: "/list/90", expected: "a number" }, ...Array.from({ length: 19 }, () => expect.anything())],
    });
    expect(outcome).toEqual(askPlainly(twoLists(), body));
  });

  test("of an intersection, issues of one side that the other accepts cancel out, however many there are", () => {
    const body = Object.fromEntries(Array.from({ length: 200 }, (_, n) => [`${n < 100 ? "a" : "b"}${n}`, n]));
    for (const one of [body, { ...body, a0: "x" }, { ...body, c: 1 }])
      expect(parseBody(bothNames(), one)).toEqual(askPlainly(bothNames(), one));
  });

  test("a list over its maximum size is rejected for that", () => {
    const schema = z.object({ items: z.array(z.number()).max(100) }) as unknown as AnySchema;
    expect(parseBody(schema, items)).toMatchObject({
      success: false,
      reasons: [{ pointer: "/items", code: "too_big" }],
    });
    expect(parseBody(schema, { items: [1] })).toEqual({ success: true, payload: { items: [1] } });
  });

  test("a schema that was parsed is exported as it was before, also one with a default inside a list", () => {
    fc.assert(
      fc.property(
        shapes.map((shape) => toSchema({ shape, version: 4 })),
        (schema) => {
          const exported = () => z.toJSONSchema(schema as unknown as z.ZodType, { unrepresentable: "any" });
          const before = exported();
          parseBounded(schema, { a: [1] });
          expect(exported()).toEqual(before);
        },
      ),
    );
    const items = z.array(z.string().default("x"));
    parseBounded(items as unknown as AnySchema, [1]);
    expect(z.toJSONSchema(items)).toMatchObject({ items: { type: "string", default: "x" } });
  });

  test("a schema that throws is bounded again afterwards", () => {
    const schema = z.array(
      z.union([
        z.string(),
        z.custom(() => {
          throw new Error("a mistake");
        }),
      ]),
    ) as unknown as AnySchema;
    expect(parseBody(schema, [1])).toMatchObject({ reasons: [{ code: "schema_error" }] });
    const next = parseBounded(z.object({ items: z.array(z.string()) }) as unknown as AnySchema, items);
    expect(next.success ? 0 : next.error.issues.length).toBeLessThan(130);
  });
});

function endless(): z.ZodType {
  return z.object({ items: z.array(z.string()), more: z.lazy(endless).optional() });
}

function growing(): z.ZodType {
  return z.object({
    items: z.array(z.string()),
    get more() {
      return growing().optional();
    },
  });
}

function twoLists(): AnySchema {
  return z.object({ list: z.union([z.array(z.string()), z.array(z.number())]) }) as unknown as AnySchema;
}

/** Each side rejects the names that the other accepts. */
function bothNames(): AnySchema {
  const [left, right] = [/^a/, /^b/].map((pattern) => z.record(z.string().regex(pattern), z.number()));
  return z.intersection(left ?? z.never(), right ?? z.never()) as unknown as AnySchema;
}

function countIssues(issues: readonly Readonly<Record<string, unknown>>[]): number {
  return issues.reduce(
    (sum, { errors }) =>
      sum + (Array.isArray(errors) ? errors.reduce((inner: number, branch) => inner + countIssues(branch), 0) : 1),
    0,
  );
}
