import * as fc from "fast-check";
import { expect, it } from "vitest";
import { exportSchema } from "../../../cli/build/schema/export.ts";
import { type JsonSchemaObject, jsonSchemaObjectSchema } from "../../contract/json.ts";
import { conditionsOf } from "./conditions.ts";
import { describeProperty, describeSchema } from "./describe-schema.ts";
import { exampleBody } from "./example-body.ts";
import { zod3Schema, zod4Schema } from "./testing/arbitrary-zod.ts";

// oxlint-disable-next-line no-control-regex -- just these must not come through
const hidden = /[\u0000-\u001F\u007F-\u009F\u200E\u200F\u202A-\u202E\u2066-\u2069]/;

const areWords = (text: string, longest: number) => text.length > 0 && text.length <= longest && !hidden.test(text);

/** The errors in the description and the example of a schema: there must be none. */
function faultsOf(request: JsonSchemaObject, filter: JsonSchemaObject | null): string[] {
  const conditions = conditionsOf({ request, filter });
  const labels = [
    describeSchema(request, request),
    describeProperty({ schema: request, root: request, isRequired: false }),
  ];
  return [
    ...(conditions.length > 4 ? [`${conditions.length} conditions`] : []),
    ...conditions.filter(({ path }) => path !== "" && !areWords(path, 80)).map(({ path }) => `path ${path}`),
    ...conditions.filter(({ words }) => !areWords(words, 140)).map(({ words }) => `words ${words}`),
    ...labels.filter((label) => !areWords(label, 220)).map((label) => `label ${label}`),
    ...(JSON.stringify(exampleBody(request, filter)).length > 50_000_000 ? ["an example without end"] : []),
  ];
}

it("every schema of Zod 4 has a description and an example, finite and short, without an exception", () => {
  fc.assert(
    fc.property(
      zod4Schema,
      fc.option(zod4Schema),
      (request, filter) => void expect(faultsOf(exportSchema(request), filter && exportSchema(filter))).toEqual([]),
    ),
    { numRuns: 100 },
  );
});

it("every schema of Zod 3 has a description and an example, finite and short, without an exception", () => {
  fc.assert(
    fc.property(
      zod3Schema,
      fc.option(zod3Schema),
      (request, filter) => void expect(faultsOf(exportSchema(request), filter && exportSchema(filter))).toEqual([]),
    ),
    { numRuns: 100 },
  );
});

const keyword = fc.constantFrom(
  "type",
  "const",
  "enum",
  "anyOf",
  "oneOf",
  "allOf",
  "not",
  "$ref",
  "$defs",
  "properties",
  "required",
  "items",
  "prefixItems",
  "additionalProperties",
  "patternProperties",
  "propertyNames",
  "pattern",
  "format",
  "minimum",
  "maxLength",
  "minItems",
  "multipleOf",
  "default",
  "examples",
  "description",
);
const anyKeywords = fc.letrec<{ value: unknown }>((tie) => ({
  value: fc.oneof(
    { depthSize: "small" },
    fc.jsonValue({ maxDepth: 1 }),
    fc.constantFrom("#", "#/properties/a", "#/$defs/0", "#/%zz", "object", "array", "string"),
    fc.array(tie("value"), { maxLength: 3 }),
    fc.dictionary(keyword, tie("value"), { noNullPrototype: true }),
  ),
})).value;

it("every JSON object has a description and an example, with any values of its keywords", () => {
  fc.assert(
    fc.property(
      fc.dictionary(keyword, anyKeywords, { noNullPrototype: true }),
      (schema) => void expect(faultsOf(jsonSchemaObjectSchema.parse(schema), null)).toEqual([]),
    ),
    { numRuns: 500 },
  );
});

it("a schema whose definitions are shared a billion times has a description and an example", () => {
  const levels = Array.from({ length: 30 }, (_, level): [string, JsonSchemaObject] => {
    const next = { $ref: `#/$defs/${level + 1}` };
    return [
      String(level),
      {
        type: "object",
        properties: { a: next, b: next, list: { type: "array", items: next, minItems: 2 } },
        required: ["a", "b", "list"],
      },
    ];
  });
  const schema: JsonSchemaObject = {
    $ref: "#/$defs/0",
    $defs: { ...Object.fromEntries(levels), 30: { const: "end" } },
  };
  expect(faultsOf(schema, schema)).toEqual([]);
});
