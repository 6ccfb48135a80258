import { createRequire } from "node:module";
import * as fc from "fast-check";
import { describe, expect, test, vi } from "vitest";
import { z } from "zod";
import * as z3 from "zod/v3";
import { exportSchema } from "../../cli/build/schema/export.ts";
import { type DisabledTriggers, noneDisabled } from "../contract/disabled.ts";
import type { Json } from "../contract/json.ts";
import type { UnlistedVerdicts, Verdict } from "../contract/delivery.ts";
import { recordGivenHeaders } from "../domain/deliveries/header-values.ts";
import { recordGivenQuery } from "../domain/deliveries/query-values.ts";
import { requestFields } from "../domain/deliveries/request-fields.ts";
import { namedLists } from "../shared/schema/named-fields.ts";
import type { AnySchema, TriggerSource } from "../ports/project.ts";
import { evaluateTriggers, matchTriggers } from "./match-triggers.ts";
import { splitSchema } from "./schemas/fixed-fields.ts";
import { shareSchemas } from "./schemas/share-schemas.ts";
import { toSchema, versions } from "./testing/build-shape.ts";
import { bodiesNear, type Shape, shapes } from "./testing/shapes.ts";
import { buildTriggerIndex } from "./index/trigger-index.ts";

const sourceOf = (at: number, request: AnySchema, filter: AnySchema | null): TriggerSource => {
  const slug = `t${at}`;
  return {
    slug,
    endpoint: "shared",
    attachmentId: `${slug}:w`,
    target: { kind: "workflow", slug: "w" },
    request,
    filter,
  };
};

const exportTriggers = (triggers: readonly TriggerSource[]) =>
  triggers.map(({ request, filter }) => ({ request: exportSchema(request), filter: filter && exportSchema(filter) }));
const indexOf = (triggers: readonly TriggerSource[]) => buildTriggerIndex(exportTriggers(triggers));

/** Everything that matching says, with and without the index. */
function bothWays(triggers: readonly TriggerSource[], body: Json) {
  const index = indexOf(triggers);
  const { matches, list } = matchTriggers({ triggers: shareSchemas(triggers), index, body });
  const evaluations = evaluateTriggers(triggers, body);
  return {
    candidates: index.candidates(body).length,
    withIndex: {
      matches: matches.map(({ trigger, payload }) => [trigger.slug, payload]),
      verdicts: list().verdicts,
    },
    asked: {
      matches: evaluations.flatMap(({ verdict, payload }) =>
        verdict.outcome === "matched" ? [[verdict.trigger, payload]] : [],
      ),
      verdicts: evaluations.map(({ verdict }) => verdict),
    },
  };
}

const both = (shape: Shape) => fc.record({ shape: fc.constant(shape), version: versions });
const pairs = fc
  .tuple(shapes, fc.option(shapes))
  .chain(([request, filter]) => fc.tuple(both(request), filter ? both(filter) : fc.constant(null)));
const cases = fc.array(pairs, { minLength: 1, maxLength: 4 }).chain((list) => {
  const near = list
    .flatMap(([request, filter]) => [request, ...(filter ? [filter] : [])])
    .map(({ shape }) => bodiesNear(shape));
  return fc.tuple(fc.constant(list), fc.oneof(...near));
});

const trigger = (at: number, request: z.ZodType | z3.ZodTypeAny, filter: z.ZodType | z3.ZodTypeAny | null = null) =>
  sourceOf(at, request as unknown as AnySchema, filter as unknown as AnySchema | null);

describe("matchTriggers", () => {
  test("asks no schema that the index rules out, and gives matches in the order of the triggers", () => {
    const triggers = ["opened", "closed", "opened"].map((action, at) =>
      trigger(at, z.object({ action: z.string() }), z.object({ action: z.literal(action) })),
    );
    const parse = vi.spyOn(triggers[1]?.filter ?? z.never(), "safeParse");
    const { matches } = matchTriggers({ triggers, index: indexOf(triggers), body: { action: "opened" } });
    expect(matches).toEqual([
      { trigger: triggers[0], payload: { action: "opened" } },
      { trigger: triggers[2], payload: { action: "opened" } },
    ]);
    expect(parse).not.toHaveBeenCalled();
  });

  test("says request_mismatch of a trigger that the filter excludes if its request does not match either", () => {
    const triggers = [
      trigger(0, z.object({ id: z.number(), action: z.string() }), z.object({ action: z.literal("opened") })),
    ];
    const { list } = matchTriggers({ triggers, index: indexOf(triggers), body: { action: "closed" } });
    expect(list().verdicts).toMatchObject([{ outcome: "request_mismatch", reasons: [{ pointer: "/id" }] }]);
  });

  test("leaves to Zod what a message of the user's own, Zod 3's enums, strict objects and lists in between make of a value", () => {
    const own = z.literal("x", { error: ({ input }) => `not ${JSON.stringify(input)}` });
    const triggers = [
      z.object({ a: own }),
      z3.object({ a: z3.enum(["x", "y"]) }),
      z.strictObject({ a: z.literal("x") }),
      z.object({ a: z.object({ b: z.literal("x") }) }),
    ].map((request, at) => trigger(at, request));
    const bodies: Json[] = [{ a: "z" }, { a: 1 }, {}, [], { a: ["b"] }, { a: "z", c: 1 }, { a: { b: "y" } }, null, "a"];
    for (const body of bodies) {
      const { withIndex, asked } = bothWays(triggers, body);
      expect(withIndex).toEqual(asked);
    }
  });
});

const sumOf = (unlisted: readonly UnlistedVerdicts[]) => unlisted.reduce((sum, { count }) => sum + count, 0);

const typeOf = (at: number) => `event.${at % 40}`;

const slugs = (verdicts: readonly Verdict[]) => verdicts.map((verdict) => `${verdict.trigger} ${verdict.outcome}`);
const off = (...names: string[]): DisabledTriggers =>
  new Map(names.map((slug) => [slug, { at: "2026-01-01T00:00:00.000Z", reason: null }]));

describe("an endpoint with more triggers than it lists", () => {
  const request = z.object({ type: z.string(), amount: z.number() });
  /** 80 triggers, two for each type; the second of each also requires a large amount. */
  const triggers = Array.from({ length: 80 }, (_, at) =>
    trigger(at, request, z.object({ type: z.literal(typeOf(at)), amount: at < 40 ? z.number() : z.number().min(100) })),
  );
  const index = indexOf(triggers);
  const listOf = (body: Json, disabled: DisabledTriggers = noneDisabled, always?: ReadonlySet<string>) =>
    matchTriggers({ triggers, index, body, disabled }).list(always);
  test("lists the matches and those that only other conditions stop, with their reasons, and counts the others by field", () => {
    const { verdicts, unlistedVerdicts } = listOf({ type: "event.7", amount: 1 });
    expect(slugs(verdicts)).toEqual(["t7 matched", "t47 filter_mismatch"]);
    expect(verdicts[1]?.reasons).toMatchObject([{ pointer: "/amount", actual: "1" }]);
    expect(unlistedVerdicts).toEqual([
      { outcome: "filter_mismatch", pointer: "/type", actual: '"event.7"', count: 78 },
    ]);
  });

  test.each<[Json, string | null]>([
    [{ type: "none", amount: 1 }, '"none"'],
    [{ amount: 1 }, null],
    [[], null],
  ])("says of %j, which no trigger accepts, which field stops them all", (body, actual) => {
    expect(listOf(body)).toEqual({
      verdicts: [],
      unlistedVerdicts: [{ outcome: "filter_mismatch", pointer: "/type", actual, count: 80 }],
    });
  });

  test("says of a disabled trigger that it is disabled: a near one is listed, the others are counted", () => {
    const { verdicts, unlistedVerdicts } = listOf({ type: "event.7", amount: 1 }, off("t7", "t8", "t9"));
    expect(slugs(verdicts)).toEqual(["t7 disabled", "t47 filter_mismatch"]);
    expect(unlistedVerdicts).toEqual([
      { outcome: "filter_mismatch", pointer: "/type", actual: '"event.7"', count: 76 },
      { outcome: "disabled", pointer: null, actual: null, count: 2 },
    ]);
  });

  test("lists attachments on request, and does not count them", () => {
    const { verdicts, unlistedVerdicts } = listOf({ type: "event.7", amount: 1 }, off("t9"), new Set(["t8:w", "t9:w"]));
    expect(slugs(verdicts)).toEqual(["t7 matched", "t8 filter_mismatch", "t9 disabled", "t47 filter_mismatch"]);
    expect(sumOf(unlistedVerdicts)).toBe(76);
  });

  test("without fixed values lists the nearest misses: disabled, then filters, then fewer reasons; matches in any number", () => {
    const many = Array.from({ length: 150 }, (_, at) =>
      at < 60
        ? trigger(at, z.object({ id: z.number() }))
        : at < 120
          ? trigger(at, z.object({ id: z.string(), name: z.string() }))
          : trigger(at, z.object({ id: z.number() }), z.object({ [at < 130 ? "a" : "b"]: z.string() })),
    );
    const { matches, list } = matchTriggers({
      triggers: many,
      index: indexOf(many),
      body: { id: 1 },
      disabled: off("t119"),
    });
    const { verdicts, unlistedVerdicts } = list();
    expect(matches).toHaveLength(60);
    expect(
      Object.entries(Object.groupBy(verdicts, ({ outcome }) => outcome)).map(([outcome, some]) => [
        outcome,
        some.length,
      ]),
    ).toEqual([
      ["matched", 60],
      ["request_mismatch", 19],
      ["disabled", 1],
      ["filter_mismatch", 30],
    ]);
    expect(verdicts.map((verdict) => Number(verdict.trigger.slice(1)))).toEqual(
      verdicts.map((verdict) => Number(verdict.trigger.slice(1))).toSorted((a, b) => a - b),
    );
    expect(unlistedVerdicts).toEqual([{ outcome: "request_mismatch", pointer: "/id", actual: "1", count: 40 }]);
  });

  test("combines what more than twenty fields stop", () => {
    const many = Array.from({ length: 90 }, (_, at) => trigger(at, z.object({ [`f${at % 30}`]: z.literal(1) })));
    const { unlistedVerdicts } = matchTriggers({ triggers: many, index: indexOf(many), body: {} }).list();
    expect(unlistedVerdicts).toHaveLength(21);
    expect(unlistedVerdicts.at(-1)).toEqual({ outcome: "request_mismatch", pointer: null, actual: null, count: 30 });
    expect(sumOf(unlistedVerdicts)).toBe(90);
  });
});

describe("GitHub's own example payloads", () => {
  const events = createRequire(import.meta.url)("@octokit/webhooks-examples") as {
    examples: { action?: string; workflow_run?: { conclusion?: string | null } }[];
  }[];
  const payloads = events.flatMap(({ examples }) => examples);
  const actions = [...new Set(payloads.flatMap(({ action }) => action ?? []))].sort();

  test("all 329 fire the same triggers for the same reasons with the index, which asks but few of 200", () => {
    expect(payloads).toHaveLength(329);
    const request = z.looseObject({ sender: z.object({ login: z.string() }) });
    const triggers = [
      ...actions.map((action) => [request, z.object({ action: z.literal(action) })] as const),
      ...actions.map(
        (action) =>
          [z.object({ action: z.literal(action), repository: z.object({ full_name: z.string() }) }), null] as const,
      ),
      ...actions.map(
        (action) =>
          [
            z3.object({ action: z3.literal(action) }),
            z3.object({ sender: z3.object({ type: z3.literal("User") }) }),
          ] as const,
      ),
      ...["success", "failure", "cancelled"].map(
        (conclusion) =>
          [
            request,
            z.object({
              action: z.enum(["completed", "requested"]),
              workflow_run: z.object({ conclusion: z.literal(conclusion) }),
            }),
          ] as const,
      ),
    ].map(([own, filter], at) => trigger(at, own, filter));
    const index = indexOf(triggers);
    let asked = 0;
    const fired = new Set<string>();
    for (const payload of payloads) {
      const body = payload as Json;
      const { matches, list } = matchTriggers({ triggers, index, body });
      const evaluations = evaluateTriggers(triggers, body);
      const { verdicts, unlistedVerdicts } = list();
      const candidates = new Set(index.candidates(body));
      expect(verdicts).toEqual(evaluations.flatMap(({ verdict }, at) => (candidates.has(at) ? [verdict] : [])));
      expect(verdicts.length + sumOf(unlistedVerdicts)).toBe(triggers.length);
      expect(matches.map(({ trigger: { slug }, payload: made }) => [slug, made])).toEqual(
        evaluations.flatMap(({ verdict, payload: made }) =>
          verdict.outcome === "matched" ? [[verdict.trigger, made]] : [],
        ),
      );
      for (const match of matches) fired.add(match.trigger.slug);
      asked += index.candidates(body).length;
    }
    expect(fired.size).toBeGreaterThan(100);
    expect(asked / payloads.length).toBeLessThan(4);
    expect(triggers.length).toBeGreaterThan(200);
  });
});

const countMatches = (from: Iterable<Verdict>) => [...from].filter(({ outcome }) => outcome === "matched").length;

const headerNames = fc.constantFrom("x-a", "x-b");
const headerTexts = fc.constantFrom("a", "b", "a, b");
const fieldsOf = (zod: Pick<typeof z, "literal" | "enum" | "string" | "array">) =>
  fc.oneof(
    headerTexts.map((text) => zod.literal(text)),
    fc.constant(zod.enum(["a", "b"])),
    fc.constant(zod.string().min(2).optional()),
    fc.constant(zod.array(zod.literal("a")).min(2)),
    headerTexts.map((text) => zod.string().toUpperCase().pipe(zod.literal(text.toUpperCase()))),
    headerTexts.map((text) => zod.literal(text).default("a")),
  );
const headerSchemas = fc.oneof(
  fc.dictionary(headerNames, fieldsOf(z), { minKeys: 1 }).map((shape) => z.object(shape)),
  fc.dictionary(headerNames, fieldsOf(z3.z as never), { minKeys: 1 }).map((shape) => z3.z.object(shape as never)),
);
const recorded = fc
  .array(fc.tuple(headerNames, headerTexts), { maxLength: 4 })
  .map((lines) =>
    recordGivenHeaders(
      Object.fromEntries(
        [...Map.groupBy(lines, ([name]) => name)].map(([name, values]) => [name, values.map(([, value]) => value)]),
      ),
    ),
  );

const querySchemas = headerSchemas;
/** The same texts as a query. */
const recordedQuery = fc
  .array(fc.tuple(headerNames, headerTexts), { maxLength: 4 })
  .map((pairs) => recordGivenQuery(new URLSearchParams(pairs).toString()));

test("for every set of schemas of headers and queries of both versions of Zod, the index changes no outcome and no reason", () => {
  const seen = { matched: 0, headers_mismatch: 0, query_mismatch: 0, ruledOut: 0 };
  fc.assert(
    fc.property(
      fc.array(fc.tuple(fc.option(headerSchemas), fc.option(querySchemas), fc.boolean()), {
        minLength: 1,
        maxLength: 5,
      }),
      fc.tuple(recorded, recordedQuery),
      (list, [sent, query]) => {
        const headers = { ...sent, ...query };
        const triggers = list.map(([schema, ofQuery, isOwn], at): TriggerSource => {
          const lists = schema ? namedLists(exportSchema(schema)) : [];
          const queryLists = ofQuery ? namedLists(exportSchema(ofQuery)) : [];
          return {
            ...trigger(at, z.looseObject({}), isOwn ? z.object({ "x-a": z.literal("a") }) : null),
            headers: schema && { schema: schema as unknown as AnySchema, lists },
            query: ofQuery && { schema: ofQuery as unknown as AnySchema, lists: queryLists },
          };
        });
        const index = buildTriggerIndex(
          exportTriggers(triggers).map((each, at) => ({
            ...each,
            headers: list[at]?.[0] ? exportSchema(list[at][0]) : null,
            query: list[at]?.[1] ? exportSchema(list[at][1]) : null,
          })),
        );
        const body = { "x-a": "a" };
        const found = matchTriggers({ triggers: shareSchemas(triggers), index, body, headers });
        const evaluations = evaluateTriggers(triggers, body, headers);
        expect(found.list().verdicts).toEqual(evaluations.map(({ verdict }) => verdict));
        expect(found.matches.map((match) => match.trigger.slug)).toEqual(
          evaluations.flatMap(({ verdict }) => (verdict.outcome === "matched" ? [verdict.trigger] : [])),
        );
        for (const { verdict } of evaluations) seen[verdict.outcome as "matched"] += 1;
        seen.ruledOut += triggers.length - index.candidates(body, requestFields(headers)).length;
        // Where the headers and the query are not evaluated, they stop no trigger.
        expect(matchTriggers({ triggers, index, body }).matches).toHaveLength(triggers.length);
      },
    ),
    { numRuns: 400 },
  );
  expect(Math.min(...Object.values(seen))).toBeGreaterThan(40);
});

describe("for every set of schemas of both versions of Zod, and every body near them", () => {
  test("the index changes no outcome, no reason and no payload", () => {
    const seen = { triggers: 0, ruledOut: 0, explainedShortly: 0, matched: 0 };
    fc.assert(
      fc.property(cases, ([list, body]) => {
        const triggers = list.map(([request, filter], at) =>
          sourceOf(at, toSchema(request), filter && toSchema(filter)),
        );
        const { candidates, withIndex, asked } = bothWays(triggers, body);
        expect(withIndex).toEqual(asked);
        seen.triggers += triggers.length;
        seen.ruledOut += triggers.length - candidates;
        seen.matched += asked.matches.length;
        seen.explainedShortly += triggers.filter(({ request }) => splitSchema(request) !== null).length;
      }),
      { numRuns: 500 },
    );
    expect(seen.ruledOut).toBeGreaterThan(seen.triggers / 10);
    expect(seen.explainedShortly).toBeGreaterThan(seen.triggers / 10);
    expect(seen.matched).toBeGreaterThan(30);
  });

  test("on an endpoint with many triggers, every verdict is listed as evaluated, or counted, and none of the counted matches", () => {
    const seen = { listed: 0, counted: 0, matched: 0 };
    fc.assert(
      fc.property(cases, ([list, body]) => {
        const some = list.map(([request, filter], at) => sourceOf(at, toSchema(request), filter && toSchema(filter)));
        const evaluated = evaluateTriggers(some, body);
        const exported = exportTriggers(some);
        const copies = Array.from({ length: 60 }, (_, at) => at % some.length);
        const triggers = copies.flatMap((of, at) =>
          some[of] ? { ...some[of], slug: `t${at}`, attachmentId: `t${at}:w` } : [],
        );
        const index = buildTriggerIndex(copies.flatMap((of) => exported[of] ?? []));
        const { verdicts, unlistedVerdicts } = matchTriggers({ triggers: shareSchemas(triggers), index, body }).list();
        const all = new Map(
          copies.flatMap((of, at) => {
            const slug = `t${at}`;
            return evaluated[of]
              ? [[slug, { ...evaluated[of].verdict, trigger: slug, attachmentId: `${slug}:w` }]]
              : [];
          }),
        );
        expect(verdicts).toEqual(verdicts.map((verdict) => all.get(verdict.trigger)));
        expect(verdicts.length + sumOf(unlistedVerdicts)).toBe(60);
        expect(countMatches(verdicts)).toBe(countMatches(all.values()));
        seen.listed += verdicts.length;
        seen.counted += sumOf(unlistedVerdicts);
        seen.matched += countMatches(verdicts);
      }),
      { numRuns: 100 },
    );
    expect(Math.min(seen.listed, seen.counted, seen.matched)).toBeGreaterThan(100);
  });

  test("a body without a discriminator's value never parses", () => {
    let ruledOut = 0;
    fc.assert(
      fc.property(
        shapes.chain((shape) => fc.tuple(both(shape), bodiesNear(shape))),
        ([written, body]) => {
          const schema = toSchema(written);
          const index = buildTriggerIndex([{ request: exportSchema(schema), filter: null }]);
          if (index.candidates(body).length > 0) return;
          ruledOut++;
          expect(schema.safeParse(body).success).toBe(false);
        },
      ),
      { numRuns: 1500 },
    );
    expect(ruledOut).toBeGreaterThan(150);
  });
});
