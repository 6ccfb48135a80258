import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { z } from "zod";
import * as mini from "zod/mini";
import * as z3 from "zod/v3";
import type { Json } from "../contract/json.ts";
import type { AnySchema } from "../ports/project.ts";
import { askSchema, type ParseOutcome } from "./evaluate-trigger.ts";
import { explainIssues } from "./explain.ts";
import { parseBounded } from "./parse-bounded.ts";
import { bodiesNear, type Shape, shapes, toSchema } from "./testing/shapes.ts";
import { toJson } from "./to-json.ts";

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
    { kind: "both", left: { a: { kind: "list", of } }, right: { a: { kind: "record", of }, b: { kind: "list", of } } },
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
  version: fc.constantFrom<3 | 4>(3, 4, 4),
  of: lists.chain((shape) => fc.tuple(fc.constant(shape), bodiesOf(shape))),
});

describe("parsing with few issues", () => {
  test("says of every body what Zod says, of every schema of either version: the outcome, the reasons, the payload", () => {
    let refused = 0;
    fc.assert(
      fc.property(cases, ({ version, of: [shape, body] }) => {
        const bounded = askSchema(toSchema({ shape, version }), body);
        expect(bounded).toEqual(askPlainly(toSchema({ shape, version }), body));
        if (!bounded.success && bounded.reasons.length === 20) refused += 1;
      }),
      { numRuns: 600 },
    );
    // The bound was reached, again and again.
    expect(refused).toBeGreaterThan(30);
  }, 60_000);

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
    ["one that is made anew whenever it is asked for", endless(), items],
    ["one whose getters make it anew", growing(), items],
    ["a record's values", z.record(z.string(), z.string()), many],
    ["a record's keys", z.record(z.email(), z.number()), many],
    ["the rest of a tuple", z.object({ items: z.tuple([z.number()], z.string()) }), items],
    ["an array of zod/mini", mini.object({ items: mini.array(mini.string()) }), items],
    [
      "one that is told by a field",
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
    // Whoever asks the schema itself gets all.
    const plain = schema.safeParse(body);
    expect(plain.success ? 0 : countIssues(plain.error.issues)).toBeGreaterThan(4900);
  });

  test("the alternative with the fewest mistakes is explained, also where all have more than are kept", () => {
    const body = { list: [...Array.from({ length: 90 }, (_, n) => n), ...Array.from({ length: 60 }, () => "x")] };
    const opinion = askSchema(twoLists(), body);
    expect(opinion).toMatchObject({
      success: false,
      reasons: [{ pointer: "/list/90", expected: "a number" }, ...Array.from({ length: 19 }, () => expect.anything())],
    });
    expect(opinion).toEqual(askPlainly(twoLists(), body));
  });

  test("of two schemas that must both hold, what one refuses and the other takes cancels out, however much it is", () => {
    const body = Object.fromEntries(Array.from({ length: 200 }, (_, n) => [`${n < 100 ? "a" : "b"}${n}`, n]));
    for (const one of [body, { ...body, a0: "x" }, { ...body, c: 1 }])
      expect(askSchema(bothNames(), one)).toEqual(askPlainly(bothNames(), one));
  });

  test("a list over its maximum size is rejected for that", () => {
    const schema = z.object({ items: z.array(z.number()).max(100) }) as unknown as AnySchema;
    expect(askSchema(schema, items)).toMatchObject({
      success: false,
      reasons: [{ pointer: "/items", code: "too_big" }],
    });
    expect(askSchema(schema, { items: [1] })).toEqual({ success: true, payload: { items: [1] } });
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
    expect(askSchema(schema, [1])).toMatchObject({ reasons: [{ code: "schema_error" }] });
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

/** Each side refuses the names that the other takes. */
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
