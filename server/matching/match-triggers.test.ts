import { createRequire } from "node:module";
import * as fc from "fast-check";
import { describe, expect, test, vi } from "vitest";
import { z } from "zod";
import * as z3 from "zod/v3";
import { exportSchema } from "../../cli/build/schema/export.ts";
import type { Json } from "../contract/json.ts";
import { isFolded, listVerdicts } from "../domain/deliveries/verdict-list.ts";
import type { AnySchema, TriggerSource } from "../ports/project.ts";
import { evaluateTriggers } from "./evaluate-trigger.ts";
import { splitSchema } from "./fixed-fields.ts";
import { matchTriggers } from "./match-triggers.ts";
import { shareSchemas } from "./share-schemas.ts";
import { bodiesNear, type Shape, shapes, toSchema } from "./testing/shapes.ts";
import { buildTriggerIndex } from "./trigger-index.ts";

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

const indexOf = (triggers: readonly TriggerSource[]) =>
  buildTriggerIndex(
    triggers.map(({ request, filter }) => ({ request: exportSchema(request), filter: filter && exportSchema(filter) })),
  );

/** Everything that matching says, with and without the index. */
function bothWays(triggers: readonly TriggerSource[], body: Json) {
  const index = indexOf(triggers);
  const { matches, verdicts } = matchTriggers({ triggers: shareSchemas(triggers), index, body });
  const evaluations = evaluateTriggers(triggers, body);
  return {
    candidates: index.candidates(body).length,
    withIndex: {
      matches: matches.map(({ trigger, payload }) => [trigger.slug, payload]),
      verdicts: listVerdicts(verdicts()),
    },
    asked: {
      matches: evaluations.flatMap(({ verdict, payload }) =>
        verdict.outcome === "matched" ? [[verdict.trigger, payload]] : [],
      ),
      verdicts: evaluations.map(({ verdict }) => verdict),
    },
  };
}

const versions = fc.constantFrom<3 | 4>(3, 4);
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
    const asked = vi.spyOn(triggers[1]?.filter ?? z.never(), "safeParse");
    const { matches } = matchTriggers({ triggers, index: indexOf(triggers), body: { action: "opened" } });
    expect(matches).toEqual([
      { trigger: triggers[0], payload: { action: "opened" } },
      { trigger: triggers[2], payload: { action: "opened" } },
    ]);
    expect(asked).not.toHaveBeenCalled();
  });

  test("says request_mismatch of a trigger that the filter rules out, where its request does not hold either", () => {
    const triggers = [
      trigger(0, z.object({ id: z.number(), action: z.string() }), z.object({ action: z.literal("opened") })),
    ];
    const { verdicts } = matchTriggers({ triggers, index: indexOf(triggers), body: { action: "closed" } });
    expect(listVerdicts(verdicts())).toMatchObject([{ outcome: "request_mismatch", reasons: [{ pointer: "/id" }] }]);
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
    let folded = 0;
    const fired = new Set<string>();
    for (const payload of payloads) {
      const body = payload as Json;
      const { matches, verdicts } = matchTriggers({ triggers, index, body });
      const evaluations = evaluateTriggers(triggers, body);
      const said = verdicts();
      folded += isFolded(said) ? 1 : 0;
      expect(listVerdicts(said)).toEqual(evaluations.map(({ verdict }) => verdict));
      expect(matches.map(({ trigger: { slug }, payload: made }) => [slug, made])).toEqual(
        evaluations.flatMap(({ verdict, payload: made }) =>
          verdict.outcome === "matched" ? [[verdict.trigger, made]] : [],
        ),
      );
      for (const match of matches) fired.add(match.trigger.slug);
      asked += index.candidates(body).length;
    }
    expect(folded).toBeGreaterThan(100);
    expect(fired.size).toBeGreaterThan(100);
    expect(asked / payloads.length).toBeLessThan(4);
    expect(triggers.length).toBeGreaterThan(200);
  });
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

  test("what bodies of a kind have in common is shared, and each reads to the letter as if all had been asked", () => {
    const seen = { bodies: 0, folded: 0, ofAnotherBody: 0, matchedOfFolded: 0, stoppedOfFolded: 0 };
    // Few and many triggers that ask for a value; two attachments of each.
    const copies = fc.constantFrom(4, 12);
    const several = fc.array(pairs, { minLength: 3, maxLength: 4 }).chain((list) => {
      const near = list
        .flatMap(([request, filter]) => [request, ...(filter ? [filter] : [])])
        .map(({ shape }) => bodiesNear(shape));
      return fc.tuple(fc.constant(list), copies, fc.array(fc.oneof(...near), { minLength: 1, maxLength: 5 }));
    });
    fc.assert(
      fc.property(several, ([list, times, bodies]) => {
        const written = list.map(([request, filter]) => [toSchema(request), filter && toSchema(filter)] as const);
        const triggers = Array.from({ length: times }, () => written)
          .flat()
          .map(([request, filter], at) => ({
            ...sourceOf(at >> 1, request, filter),
            attachmentId: `t${at >> 1}:w${at}`,
          }));
        const endpoint = { triggers: shareSchemas(triggers), index: indexOf(triggers) };
        const madeBy = new Map<unknown, Json>();
        for (const body of [...bodies, ...bodies, ...bodies]) {
          const said = matchTriggers({ ...endpoint, body }).verdicts();
          expect(JSON.stringify(listVerdicts(said))).toBe(
            JSON.stringify(evaluateTriggers(triggers, body).map(({ verdict }) => verdict)),
          );
          seen.bodies++;
          if (!isFolded(said)) continue;
          seen.folded++;
          for (const { outcome } of said.own) seen[outcome === "matched" ? "matchedOfFolded" : "stoppedOfFolded"]++;
          expect(
            said.common.flatMap((verdict, at) =>
              verdict && !said.places.includes(at) && said.own.some(({ trigger: slug }) => slug === verdict.trigger)
                ? [verdict.trigger]
                : [],
            ),
          ).toEqual([]);
          if (madeBy.has(said.common) && madeBy.get(said.common) !== body) seen.ofAnotherBody++;
          madeBy.set(said.common, madeBy.get(said.common) ?? body);
        }
      }),
      { numRuns: 240 },
    );
    expect(seen.folded).toBeGreaterThan(seen.bodies / 10);
    expect(seen.ofAnotherBody).toBeGreaterThan(0);
    expect(seen.matchedOfFolded).toBeGreaterThan(100);
    expect(seen.stoppedOfFolded).toBeGreaterThan(100);
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
