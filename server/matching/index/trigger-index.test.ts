import { expect, test } from "vitest";
import { z } from "zod";
import { exportSchema } from "../../../cli/build/schema/export.ts";
import type { Json } from "../../contract/json.ts";
import { buildTriggerIndex } from "./trigger-index.ts";

const indexOf = (schemas: readonly z.ZodType[]) =>
  buildTriggerIndex(schemas.map((schema) => ({ request: exportSchema(z.any()), filter: exportSchema(schema) })));
const action = (...values: [string, ...string[]]) => z.object({ action: z.enum(values) });

test("names the triggers that require a value of the body, and those without fixed values, in order", () => {
  const index = indexOf([
    action("opened"),
    z.any(),
    action("closed", "opened"),
    z.object({ run: z.object({ ok: z.literal(true) }) }),
    action("closed"),
  ]);
  expect(index.candidates({ action: "opened" })).toEqual([0, 1, 2]);
  expect(index.candidates({ action: "closed", run: { ok: true } })).toEqual([1, 2, 3, 4]);
  for (const body of [
    { action: "edited" },
    {},
    [],
    "opened",
    null,
    { action: ["opened"] },
    { action: { opened: true } },
    { run: [true], action: 1 },
  ] as Json[])
    expect(index.candidates(body)).toEqual([1]);
});

test("checks every fixed value of a trigger, whichever of them is indexed", () => {
  const index = indexOf(
    ["a", "b", "c"].map((name) => z.object({ action: z.literal("done"), name: z.literal(name), of: z.literal(name) })),
  );
  expect(index.candidates({ action: "done", name: "b", of: "b" })).toEqual([1]);
  expect(index.candidates({ action: "done", name: "b", of: "c" })).toEqual([]);
  expect(index.candidates({ action: "begun", name: "b", of: "b" })).toEqual([]);
});

test("tells values apart as JSON does: 1 is 1.0, 0 is -0, and neither is a text or a truth value", () => {
  const index = indexOf([1, 0, "1", true, null].map((value) => z.object({ a: z.literal(value) })));
  const found = ["1.0", "-0", '"1"', "true", "null", "false", '"0"'].map((text) =>
    index.candidates({ a: JSON.parse(text) }),
  );
  expect(found).toEqual([[0], [1], [2], [3], [4], [], []]);
});

test("rules nothing out by a number that is too large for JSON to be exported", () => {
  const index = indexOf([z.object({ a: z.literal(Infinity) }), z.object({ a: z.literal(1) })]);
  expect(index.candidates(JSON.parse('{"a":1e999}'))).toEqual([0, 1]);
});

test("a schema that no body satisfies is never named", () => {
  const index = indexOf([z.intersection(z.object({ a: z.literal("x") }), z.object({ a: z.literal("y") }))]);
  expect(index.candidates({ a: "x" })).toEqual([]);
});
