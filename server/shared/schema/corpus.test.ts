import { describe, expect, it } from "vitest";
import { z } from "zod";
import { z as z3 } from "zod/v3";
import { exportSchema } from "../../../cli/build/schema/export.ts";
import { conditionsOf } from "./conditions.ts";
import { describeSchema } from "./describe-schema.ts";
import { exampleBody } from "./example-body.ts";
import { bodies, zod3Corpus, zod4Corpus } from "./testing/zod-corpus.ts";

describe.each(zod4Corpus)("%s, of Zod 4", (_, schema, label, condition) => {
  const exported = exportSchema(schema);

  it("has this description in a label", () => expect(describeSchema(exported, exported)).toBe(label));

  it("has this description as a condition", () =>
    expect(conditionsOf({ request: exportSchema(z.object({ here: schema })), filter: null })).toEqual([
      { path: "here", words: condition },
    ]));
});

describe.each(zod3Corpus)("%s, of Zod 3", (_, schema, label, condition) => {
  const exported = exportSchema(schema);

  it("has this description in a label", () => expect(describeSchema(exported, exported)).toBe(label));

  it("has this description as a condition", () =>
    expect(conditionsOf({ request: exportSchema(z3.object({ here: schema })), filter: null })).toEqual([
      { path: "here", words: condition },
    ]));
});

/** No example can be derived from an arbitrary pattern, and no value matches `never`. */
const withoutExample = new Set(["regex", "long regex", "nothing"]);

it.each(zod4Corpus.filter(([name]) => !withoutExample.has(name)))("the made-up example for %s parses", (_, schema) => {
  const example = exampleBody(exportSchema(schema), null);
  expect(schema.safeParse(example).error?.issues, JSON.stringify(example)).toBeUndefined();
});

it.each(zod3Corpus)("the made-up example for %s of Zod 3 parses", (_, schema) => {
  const example = exampleBody(exportSchema(schema), null);
  expect(schema.safeParse(example).error?.issues, JSON.stringify(example)).toBeUndefined();
});

it.each<[string, string[]]>([
  ["tree", ["name is not empty", "children is an array of objects"]],
  ["treeOfZod3", ["name is a string", "children is an array of objects"]],
  ["event", ["type is invoice.paid or invoice.failed"]],
  ["eventOfZod3", ["type is a or b"]],
  ["both", ["b is x", "a is a string"]],
  ["nested", ["customer.tags[] is new or old", "items[].price > 0", "prices.* ≥ 1", " and 3 more"]],
])("the body %s is summarized, in finite time", (name, words) => {
  expect(
    conditionsOf({ request: bodies[name] ?? {}, filter: null }).map(
      (condition) => `${condition.path} ${condition.words}`,
    ),
  ).toEqual(words);
});
