import type { Json, JsonSchemaObject } from "../../server/contract/json.ts";
import { type Facts, factsOf, firstOf, propertiesOf } from "../../server/shared/schema/facts-of.ts";
import { asSchema, isObject, schemasOf } from "../../server/shared/schema/json-schema.ts";
import { describeChoice } from "../../server/shared/schema/describe-schema.ts";
import { visibleText } from "../../server/shared/schema/visible-text.ts";

/** A child of a schema: a property, the items of an array, a union variant. */
export interface SchemaChild {
  key: string;
  name: string;
  /** Property names are code; `each item` is text. */
  isCode: boolean;
  schema: JsonSchemaObject;
  isRequired: boolean;
}

const maxChildren = 200;

/** The children of a schema, with references resolved. Empty for scalars. At most 200; `more` counts the rest. */
export function childrenOf(
  schema: JsonSchemaObject,
  root: JsonSchemaObject,
): { children: SchemaChild[]; more: number } {
  const facts = factsOf(schema, root);
  if (facts.values) return { children: [], more: 0 };
  const all = [
    ...properties(facts),
    ...items(facts),
    ...recordValues(facts),
    ...facts.unions.flatMap((union, index) => shapes({ union, index, root })),
  ];
  return { children: all.slice(0, maxChildren), more: Math.max(0, all.length - maxChildren) };
}

function properties(facts: Facts): SchemaChild[] {
  return propertiesOf(facts).map(({ name, schema, isRequired }) => ({
    key: `.${name}`,
    name: visibleText(name, 120),
    isCode: true,
    schema,
    isRequired,
  }));
}

function items(facts: Facts): SchemaChild[] {
  const minItems = Number(firstOf(facts, "minItems") ?? 0);
  const first = schemasOf(firstOf(facts, "prefixItems")).map((schema, index) =>
    labelled({ key: `[${index}]`, name: `item ${index + 1}`, schema, isRequired: index < minItems }),
  );
  const rest = firstOf(facts, "items");
  if (!isObject(rest)) return first;
  return [...first, labelled({ key: "[]", name: first.length > 0 ? "each further item" : "each item", schema: rest })];
}

function recordValues(facts: Facts): SchemaChild[] {
  const other = firstOf(facts, "additionalProperties");
  const isOpen = isObject(other) && Object.keys(other).length > 0;
  const named = firstOf(facts, "properties") !== undefined;
  const keys = asSchema(firstOf(facts, "propertyNames"));
  return [
    ...(keys ? [labelled({ key: "keys", name: "each key", schema: { type: "string", ...keys } })] : []),
    ...(isOpen ? [labelled({ key: "*", name: named ? "each other key" : "each value", schema: other })] : []),
    ...byPattern(firstOf(facts, "patternProperties")),
  ];
}

function byPattern(value: Json | undefined): SchemaChild[] {
  if (!isObject(value)) return [];
  return Object.entries(value).map(([pattern, schema]) =>
    labelled({
      key: `/${pattern}`,
      name: `each key matching /${visibleText(pattern, 40)}/`,
      schema: asSchema(schema) ?? {},
    }),
  );
}

/** Scalar variants are part of the description of the schema itself. Variants with children are lines of their own. */
function shapes({
  union,
  index,
  root,
}: {
  union: JsonSchemaObject[];
  index: number;
  root: JsonSchemaObject;
}): SchemaChild[] {
  const facts = union.map((choice) => factsOf(choice, root));
  if (
    !facts.some(
      (one) =>
        one.unions.length > 0 ||
        ["properties", "items", "prefixItems", "additionalProperties"].some(
          (keyword) => firstOf(one, keyword) !== undefined,
        ),
    )
  )
    return [];
  return union.map((schema, at) => labelled({ key: `|${index}.${at}`, name: shapeName(facts[at], at, root), schema }));
}

/** `if type is invoice.paid` if a constant identifies the variant, otherwise `shape 2`. */
function shapeName(facts: Facts | undefined, at: number, root: JsonSchemaObject): string {
  const tag =
    facts &&
    propertiesOf(facts).find(({ schema, isRequired }) => isRequired && factsOf(schema, root).values?.length === 1);
  const values = tag && factsOf(tag.schema, root).values;
  return tag && values ? `if ${visibleText(tag.name, 40)} is ${describeChoice(values)}` : `shape ${at + 1}`;
}

function labelled(options: { key: string; name: string; schema: JsonSchemaObject; isRequired?: boolean }): SchemaChild {
  const { key, name, schema, isRequired } = options;
  return { key, name, isCode: false, schema, isRequired: isRequired ?? true };
}
