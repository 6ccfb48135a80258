import type { Json, JsonSchemaObject } from "../../../server/contract/json.ts";
import { nameFormat } from "../../../server/shared/schema/formats.ts";
import { asSchema, flatten, own, schemasIn, valuesOf } from "./resolve-schema.ts";

export interface UnionOption {
  title: string;
  schema: JsonSchemaObject;
}

const maxAlternatives = 200;

/** Keywords that do not validate. */
const annotations = new Set([
  "title",
  "description",
  "default",
  "examples",
  "deprecated",
  "readOnly",
  "writeOnly",
  "$schema",
  "$id",
  "$comment",
  "$defs",
  "definitions",
  "discriminator",
]);

/** The alternatives of a union, including those of nested unions. Several types are a union, too. Empty: not a union. */
export function alternativesOf(
  flat: JsonSchemaObject,
  root: JsonSchemaObject,
  outer: ReadonlySet<JsonSchemaObject> = new Set(),
): JsonSchemaObject[] {
  const { anyOf, oneOf, type, ...others } = flat;
  const given = [...schemasIn(anyOf), ...schemasIn(oneOf)];
  if (given.length === 0)
    return Array.isArray(type) && type.length > 1 ? type.map((one) => ({ ...others, type: one })) : [];
  const common = {
    ...(type !== undefined && { type }),
    ...Object.fromEntries(Object.entries(others).filter(([keyword]) => !annotations.has(keyword))),
  };
  const alternatives = given.map((one) => (Object.keys(common).length > 0 ? { allOf: [one, common] } : one));
  const seen = new Set([...outer, flat]);
  return alternatives.slice(0, maxAlternatives).flatMap((one) => {
    const inner = flatten(one, root);
    const nested = seen.has(inner) ? [] : alternativesOf(inner, root, seen);
    return nested.length > 0 ? nested : [one];
  });
}

/** Titles that distinguish the alternatives: a fixed value, the title, or a description of the type. */
export function titleAlternatives(alternatives: readonly JsonSchemaObject[], root: JsonSchemaObject): UnionOption[] {
  const flats = alternatives.map((one) => flatten(one, root));
  const discriminator = findDiscriminator(flats, root);
  const shared = sharedNames(flats);
  const titles = flats.map((flat) => titleOf(flat, root, { discriminator, shared }));
  return alternatives.map((schema, index) => {
    const title = titles[index] ?? "";
    const same = titles.slice(0, index).filter((other) => other === title).length;
    return { schema, title: same === 0 ? title : `${title} (${same + 1})` };
  });
}

/** The property with a different fixed value in every alternative. */
function findDiscriminator(flats: readonly JsonSchemaObject[], root: JsonSchemaObject): string | null {
  const [first] = flats;
  if (!first || flats.length < 2) return null;
  const names = Object.keys(asSchema(first["properties"]));
  const distinguishes = (name: string) => {
    const values = flats.map((flat) => JSON.stringify(fixedValues(flat, name, root)));
    return !values.includes("[]") && new Set(values).size === values.length;
  };
  return names.find(distinguishes) ?? null;
}

function fixedValues(flat: JsonSchemaObject, name: string, root: JsonSchemaObject): Json[] {
  const property = own(asSchema(flat["properties"]), name);
  if (property === undefined) return [];
  return valuesOf(flatten(asSchema(property), root));
}

/** Fields that every alternative has. They do not distinguish alternatives. */
function sharedNames(flats: readonly JsonSchemaObject[]): ReadonlySet<string> {
  const lists = flats.map((flat) => Object.keys(asSchema(flat["properties"])));
  return new Set((lists[0] ?? []).filter((name) => lists.every((list) => list.includes(name))));
}

function titleOf(
  flat: JsonSchemaObject,
  root: JsonSchemaObject,
  { discriminator, shared }: { discriminator: string | null; shared: ReadonlySet<string> },
): string {
  if (typeof flat["title"] === "string" && flat["title"] !== "") return flat["title"];
  if (discriminator !== null) return fixedValues(flat, discriminator, root).map(nameValue).join(" or ");
  if (flat["const"] !== undefined) return nameValue(flat["const"]);
  if (Array.isArray(flat["enum"]))
    return flat["enum"].slice(0, 3).map(nameValue).join(", ") + (flat["enum"].length > 3 ? ", …" : "");
  return nameType(flat, root, shared);
}

function nameValue(value: Json): string {
  return typeof value === "string" && value.trim() !== "" ? value : JSON.stringify(value);
}

/** `string`, `integer`, `array of string`, `with id, name`. */
function nameType(flat: JsonSchemaObject, root: JsonSchemaObject, shared: ReadonlySet<string>): string {
  const { type } = flat;
  if (type === "string") return nameFormat(String(flat["format"]))?.replace(/^an? /, "") ?? "string";
  if (type === "array") {
    const fixedItems = schemasIn(flat["prefixItems"]).length;
    if (fixedItems > 0) return `array of ${fixedItems}`;
    const items = flatten(asSchema(flat["items"]), root);
    return typeof items["type"] === "string" && items["type"] !== "array" ? `array of ${items["type"]}` : "array";
  }
  if (type === "object" || flat["properties"] !== undefined) {
    const all = Object.keys(asSchema(flat["properties"]));
    const distinct = all.filter((name) => !shared.has(name));
    const names = distinct.length > 0 ? distinct : all;
    if (names.length === 0) return "object";
    return `with ${names.slice(0, 2).join(", ")}${names.length > 2 ? ", …" : ""}`;
  }
  return typeof type === "string" ? type : "any value";
}
