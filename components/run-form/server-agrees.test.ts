import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { z } from "zod";
import * as z3 from "zod/v3";
import { exportSchema } from "../../cli/build/schema/export.ts";
import type { Json } from "../../server/contract/json.ts";
import { parseBody } from "../../server/matching/match-triggers.ts";
import { exactLeaves, schemaCases, withValues } from "../../server/matching/testing/schema-cases.ts";
import type { AnySchema } from "../../server/ports/project.ts";
import { adaptSchema } from "./schema/adapt-schema.ts";
import { checkDraft } from "./check/check-draft.ts";
import { type Draft, draftOf, draftOfJson, draftToJson, withoutChoice } from "./draft/draft.ts";
import { parseDraft, printDraft } from "./draft/draft-text.ts";
import { emptyDraft, shownOption, switchNull, switchOption } from "./draft/new-draft.ts";

const numRuns = 600;
const cases = schemaCases(exactLeaves);
const withValue = withValues(cases);

/** The messages of the form and the server where they differ. */
function disagreement(schema: z.ZodType | z3.ZodTypeAny, value: Json): string | null {
  const exported = exportSchema(schema);
  const issues = checkDraft(exported, exported, draftOfJson(value));
  const says = schema.safeParse(structuredClone(value));
  return (issues.length === 0) === says.success
    ? null
    : `${JSON.stringify(value)} by ${JSON.stringify(exported)}: ${JSON.stringify(issues)} but ${JSON.stringify(says.error?.issues)}`;
}

describe("every schema and value", () => {
  test("the form accepts what Zod 4 accepts, and nothing else", () => {
    fc.assert(
      fc.property(withValue, ({ one, value }) => {
        expect(disagreement(one.four, value)).toBeNull();
      }),
      { numRuns },
    );
  });

  test("the form reports a failed union against the alternative that the server names, of either Zod", () => {
    const fields = fc.dictionary(
      fc.constantFrom("a", "b", "c", "d"),
      fc.constantFrom<"text" | "number">("text", "number"),
      { minKeys: 1, maxKeys: 3, noNullPrototype: true },
    );
    const alternatives = fc.array(fc.tuple(fields, fc.option(fc.constantFrom("x", "y", "z"))), {
      minLength: 2,
      maxLength: 4,
    });
    const values = fc.dictionary(
      fc.constantFrom("a", "b", "c", "d", "type"),
      fc.constantFrom<Json>("x", "y", 1, true),
      { maxKeys: 4, noNullPrototype: true },
    );
    fc.assert(
      fc.property(alternatives, values, (options, value) => {
        for (const zod of [z, z3 as unknown as typeof z]) {
          const kinds = { text: zod.string(), number: zod.number() };
          const objects = options.map(([of, tag]) =>
            zod.object({
              ...Object.fromEntries(Object.entries(of).map(([name, kind]) => [name, kinds[kind]])),
              ...(tag === null ? {} : { type: zod.literal(tag) }),
            }),
          );
          const schema = zod.union(objects as unknown as [z.ZodType, z.ZodType]);
          const exported = exportSchema(schema);
          const opinion = parseBody(schema as unknown as AnySchema, value);
          const said = opinion.success ? [] : opinion.reasons.map(({ pointer }) => pointer);
          expect(
            checkDraft(exported, exported, draftOfJson(value))
              .map(({ pointer }) => pointer)
              .toSorted(),
          ).toEqual(said.toSorted());
        }
      }),
      { numRuns },
    );
  });

  test("form and JSON lose nothing, through every switch of a union and back", () => {
    fc.assert(
      fc.property(withValue, fc.nat(), ({ one, value }, pick) => {
        const schema = exportSchema(one.four);
        const draft = draftOfJson(value);
        expect(draftToJson(parseDraft(printDraft(draft)).draft ?? { is: "null" })).toEqual(value);
        const node = adaptSchema(schema, schema);
        expect(draftToJson(node.isNullable && value !== null ? backFromNull(draft, schema) : draft)).toEqual(value);
        const options = node.kind === "union" && value !== null ? node.options : [];
        const from = shownOption(options, draft, schema);
        const to = options.length === 0 ? 0 : pick % options.length;
        const away = switchOption({ options, draft, to, root: schema });
        expect(shownOption(options, away, schema)).toBe(to);
        expect(withoutChoice(switchOption({ options, draft: away, to: from, root: schema }))).toEqual(draft);
      }),
      { numRuns },
    );
  });

  test("the issues of a chosen alternative are at its own paths", () => {
    const schema = exportSchema(
      z.object({ to: z.union([z.object({ a: z.string() }), z.object({ x: z.string(), y: z.string() })]) }),
    );
    const to = { ...draftOfJson({}), choice: { option: 1, kept: {} } };
    expect(checkDraft(schema, schema, draftOf.object([["to", to]])).map(({ pointer }) => pointer)).toEqual([
      "/to/x",
      "/to/y",
    ]);
  });

  test("an empty form shows the first alternative, even if its initial value looks like another one", () => {
    const schema = exportSchema(
      z.union([z.object({ type: z.record(z.string(), z.string()), a: z.string() }), z.strictObject({})]),
    );
    expect(checkDraft(schema, schema, emptyDraft(schema, schema) ?? { is: "null" })).toMatchObject([
      { pointer: "/a", code: "required" },
    ]);
  });

  test("an empty form has only issues that a person can fix", () => {
    fc.assert(
      fc.property(cases, (one) => {
        const schema = exportSchema(one.four);
        const draft = emptyDraft(schema, schema);
        // `.default("x")` is also used on schemas that "x" does not match.
        fc.pre(draft !== undefined && !JSON.stringify(schema).includes('"default"'));
        const codes = checkDraft(schema, schema, draft ?? { is: "null" }).map(({ code }) => code);
        expect(
          codes.filter(
            (code) =>
              ![
                "required",
                "type",
                "minLength",
                "pattern",
                "format",
                "enum",
                "const",
                "union",
                "minItems",
                "exclusiveMinimum",
                "oneOf",
              ].includes(code),
          ),
        ).toEqual([]);
      }),
      { numRuns },
    );
  });
});

describe("every schema of Zod 3 and every value", () => {
  test("the form accepts what Zod 3 accepts", () => {
    fc.assert(
      fc.property(withValue, ({ one, value }) => {
        expect(disagreement(one.three, value)).toBeNull();
      }),
      { numRuns },
    );
  });
});

function backFromNull(draft: Draft, schema: ReturnType<typeof exportSchema>): Draft {
  return switchNull({
    schema,
    draft: switchNull({ schema, draft, isNull: true, root: schema }),
    isNull: false,
    root: schema,
  });
}
