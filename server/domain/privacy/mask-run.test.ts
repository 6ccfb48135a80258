import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { z } from "zod";
import { exportSchema } from "../../../cli/build/schema/export.ts";
import { sensitive } from "../../../sdk/sensitive.ts";
import type { Json } from "../../contract/json.ts";
import { toPointer } from "../../shared/json/json-pointer.ts";
import { createFaker, hidingFaker, maskedText } from "./fake-value.ts";
import { createRunMask, type RunOrigin } from "./mask-run.ts";
import { findSensitive } from "./sensitive-schema.ts";

const faker = createFaker(Buffer.from("the key of one installation"));

function originOf(payload: Json, input: Json): RunOrigin {
  return { trigger: "orders", target: { kind: "workflow", slug: "copy" }, payload, input, headers: null, events: [] };
}

/** The rules of a trigger that marks its request. Its workflow marks nothing. */
function rulesOf(request: z.ZodType, fieldNames: readonly string[] = []) {
  const body = findSensitive([exportSchema(request)]);
  return {
    endpoints: new Map(),
    triggers: new Map([["orders", { body, headers: null, query: null, formats: [] }]]),
    targets: new Map(),
    fieldNames: new Set(fieldNames),
  };
}

/** Keys that are data. Each needs another way of writing, or is of another kind. */
const keys = fc.oneof(
  fc.constantFrom(
    "zeb.secret@keys.example",
    "https://keys.example/zeb?id=1&of=2",
    "Zeb Secret-Smith",
    'Zeb "the" Secret\\Smith',
    "zeb/secret~1/key",
    "Zébulon Sécret (1)!*'",
    "line one\nline two",
    "4111111111111111",
    "0049170123456",
    "c0ffee00-1111-4222-8333-444455556666",
    "2001-02-03",
    "192.0.2.44",
    "key with 🔑 in it",
    "id[zeb.secret]",
  ),
  fc.string({ minLength: 6, maxLength: 20, unit: "grapheme-composite" }).map((text) => `zq${text}qz`),
);

/** Where keys of a payload can be: the schema of the whole payload, and a payload with the key. */
const places: readonly { schema: z.ZodType; of: (key: string) => Json }[] = [
  { schema: z.object({ rec: sensitive(z.record(z.string(), z.string())) }), of: (key) => ({ rec: { [key]: "v" } }) },
  { schema: z.object({ rec: z.record(sensitive(z.string()), z.string()) }), of: (key) => ({ rec: { [key]: "v" } }) },
  {
    schema: sensitive(z.record(z.string(), z.record(z.string(), z.boolean()))),
    of: (key) => ({ a: { [key]: true } }),
  },
  {
    schema: z.object({ list: z.array(z.object({ rec: sensitive(z.record(z.string(), z.null())) })) }),
    of: (key) => ({ list: [{ rec: {} }, { rec: { [key]: null } }] }),
  },
  { schema: z.object({ any: sensitive(z.any()) }), of: (key) => ({ any: [[{ [key]: [] }]] }) },
  { schema: z.object({ a: sensitive(z.object({ b: z.string() })) }), of: (key) => ({ a: { b: "v", [key]: {} } }) },
  // A value of another type than its schema.
  { schema: z.object({ a: z.array(sensitive(z.string())) }), of: (key) => ({ a: { [key]: 1 } }) },
];

/** The texts in which code can repeat a key. */
const repeated = (key: string): string[] => [
  key,
  `no price for ${key}!`,
  JSON.stringify({ [key]: 1 }),
  `https://shop.example/prices?of=${encodeURIComponent(key)}`,
  `of=1&${new URLSearchParams({ [key]: "1" })}`,
  new URL(`https://shop.example/prices/${encodeURI(key)}`).pathname,
  `${toPointer(["rec", key, 0])} is not a number`,
];

describe("the sensitive keys of a payload", () => {
  it("are nowhere in the run: not as keys, and in no text that repeats them", () => {
    fc.assert(
      fc.property(keys, fc.constantFrom(...places), (key, { schema, of }) => {
        const payload = of(key);
        const input = { ...(payload as object), copy: { [key]: { [`of ${key}`]: [key] } } };
        const mask = createRunMask(rulesOf(schema), [originOf(payload, input)], faker);
        const { scrub } = mask;
        const texts = repeated(key);
        const structured = [mask.payload(), mask.input(), mask.output(input), scrub.json([input, texts])];
        expect(textsIn(structured).filter((text) => text.includes(key))).toEqual([]);
        // No way of writing it is left in a text.
        for (const text of texts) {
          const shown = scrub.text(text);
          expect(decodings(shown).filter((each) => each.includes(key))).toEqual([]);
        }
        // The fake of a key is the same everywhere.
        const shownKey = scrub.text(key);
        expect(JSON.stringify(mask.payload())).toContain(JSON.stringify(shownKey));
        expect(mask.input()).toMatchObject({ copy: { [shownKey]: { [`of ${shownKey}`]: [shownKey] } } });
        expect(mask.restore(mask.input() ?? null)).toEqual(input);
      }),
      { numRuns: 300 },
    );
  });

  it("are [masked] in terminals and traces", () => {
    fc.assert(
      fc.property(keys, fc.constantFrom(...places), (key, { schema, of }) => {
        const { scrub } = createRunMask(rulesOf(schema), [originOf(of(key), null)], hidingFaker, { shown: maskedText });
        expect(scrub.text(`no price for ${key}!`)).toBe("no price for [masked]!");
      }),
      { numRuns: 100 },
    );
  });

  it("are found from 6 characters, and from 4 as a whole string, number or key", () => {
    const schema = sensitive(z.record(z.string(), z.number()));
    const input = { "1234": 1234, abcd: "abcd", abc: "abc", text: "my abcd", copy: { "987654": 987_654 } };
    const mask = createRunMask(rulesOf(schema), [originOf({ "1234": 0, abcd: 0, abc: 0, "987654": 0 }, input)], faker);
    const shown = JSON.stringify(mask.input());
    for (const key of ["1234", "987654", '"abcd"']) expect(shown).not.toContain(key);
    expect(mask.input()).toMatchObject({ abc: "abc", text: "my abcd" });
    expect(mask.restore(mask.input() ?? null)).toEqual(input);
  });

  it("do not hide the names of the fields that schemas have, and values do not become visible by them", () => {
    const schema = z.object({ any: sensitive(z.any()) });
    const payload = { any: { address: { street: "Secret Road 7", kind: "street" }, "zeb.secret": 4711 } };
    const input = { address: "Secret Road 7", street: "7", "zeb.secret": 4711 };
    const mask = createRunMask(rulesOf(schema, ["address", "street"]), [originOf(payload, input)], faker);
    expect(mask.scrub.text("no address")).toBe("no address");
    expect(mask.input()).toMatchObject({ address: expect.stringMatching(/^[A-Z][a-z]{5} [A-Z][a-z]{3} \d$/) });
    expect(JSON.stringify(mask.input())).not.toMatch(/zeb|Secret/);
    expect(mask.restore(mask.payload() ?? null)).toEqual(payload);
  });
});

function textsIn(value: unknown): string[] {
  if (typeof value === "string") return [value];
  if (typeof value !== "object" || value === null) return [];
  return Object.entries(value).flatMap(([key, each]) => [key, ...textsIn(each)]);
}

function attempt(decode: () => string): string[] {
  try {
    return [decode()];
  } catch {
    return [];
  }
}

/** A text, and what it says to readers of JSON, URLs, forms and pointers. */
function decodings(text: string): string[] {
  return [
    text,
    ...attempt(() => textsIn(JSON.parse(text)).join("\0")),
    ...attempt(() => decodeURIComponent(text)),
    ...attempt(() => decodeURIComponent(text.replaceAll("+", " "))),
    text.replaceAll("~1", "/").replaceAll("~0", "~"),
  ];
}
