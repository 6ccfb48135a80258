import type { JsonSchemaObject } from "../../contract/json.ts";
import { type Facts, factsOf, firstOf } from "./facts-of.ts";
import { schemasOf } from "./json-schema.ts";
import { sayChoice } from "./say-value.ts";
import { sayText } from "./say-text.ts";
import { visibleText } from "./visible-text.ts";

interface Noun {
  one: string;
  many: string;
  article: string;
}

const types: Readonly<Record<string, Noun>> = {
  string: { one: "string", many: "strings", article: "a" },
  number: { one: "number", many: "numbers", article: "a" },
  integer: { one: "integer", many: "integers", article: "an" },
  boolean: { one: "boolean", many: "booleans", article: "a" },
  object: { one: "object", many: "objects", article: "an" },
  array: { one: "array", many: "arrays", article: "an" },
};

const deepest = 3;

/**
 * A type as a noun, without bounds: `integer`, `array of strings`, `one of eur, usd`, `string or number`. Never longer
 * than a line.
 */
export function sayType(facts: Facts, root: JsonSchemaObject): string {
  return visibleText(nounOf(facts, root, 0), 120) || "anything";
}

/** With its article: `an integer`, `an e-mail`. What starts with a word of its own has none: `one of 3 shapes`. */
export function withArticle(noun: string): string {
  const [first = ""] = noun.split(" ");
  const known = Object.values(types).find(({ one }) => one === first);
  if (known) return `${known.article} ${noun}`;
  return first === "record" || first === "tuple" ? `a ${noun}` : noun;
}

function nounOf(facts: Facts, root: JsonSchemaObject, depth: number): string {
  const noun = bareNoun(facts, root, depth);
  return facts.isNullable && noun !== "null" && noun !== "anything" ? `${noun} or null` : noun;
}

function bareNoun(facts: Facts, root: JsonSchemaObject, depth: number): string {
  if (facts.isNever) return "nothing";
  if (facts.values)
    return facts.values.length === 0
      ? "null"
      : facts.values.length === 1
        ? sayChoice(facts.values)
        : `one of ${listed(facts)}`;
  const [format] = sayText(facts).formats;
  if (format) return format.replace(/^an? /, "");
  const [union] = facts.unions;
  if (union) return unionNoun(union, root, depth);
  if (facts.types.length === 0) return facts.isNullable ? "null" : impliedNoun(facts, root, depth);
  return facts.types.map((type) => typeNoun({ type, facts, root, depth })).join(" or ");
}

function listed({ values }: Facts): string {
  return sayChoice(values ?? [], 6)
    .replace(/^one of /, "")
    .replace(/ or (?=[^ ]*$)/, ", ");
}

/** Zod writes no type where only keywords are checked: these name one. */
function impliedNoun(facts: Facts, root: JsonSchemaObject, depth: number): string {
  if (firstOf(facts, "properties") !== undefined) return "object";
  if (firstOf(facts, "items") !== undefined || firstOf(facts, "prefixItems") !== undefined)
    return typeNoun({ type: "array", facts, root, depth });
  return firstOf(facts, "pattern") === undefined ? "anything" : "string";
}

function typeNoun(p: { type: string; facts: Facts; root: JsonSchemaObject; depth: number }): string {
  if (p.type === "array") return listNoun(p);
  if (p.type === "object" && firstOf(p.facts, "properties") === undefined) return recordNoun(p);
  return types[p.type]?.one ?? (visibleText(p.type, 20) || "anything");
}

function listNoun({ facts, root, depth }: { facts: Facts; root: JsonSchemaObject; depth: number }): string {
  const first = schemasOf(firstOf(facts, "prefixItems"));
  if (depth >= deepest) return "array";
  if (first.length > 0)
    return first.length > 4
      ? `tuple of ${first.length}`
      : `tuple of ${first.map((item) => nounOf(factsOf(item, root), root, depth + 1)).join(", ")}`;
  const items = firstOf(facts, "items");
  return items === undefined ? "array" : `array${ofMany(items, root, depth)}`;
}

function recordNoun({ facts, root, depth }: { facts: Facts; root: JsonSchemaObject; depth: number }): string {
  const values = firstOf(facts, "additionalProperties") ?? Object.values(patternProperties(facts))[0];
  if (values === undefined || values === false || depth >= deepest) return "object";
  return `record${ofMany(values, root, depth)}`;
}

function patternProperties(facts: Facts): JsonSchemaObject {
  const found = firstOf(facts, "patternProperties");
  return typeof found === "object" && found !== null && !Array.isArray(found) ? found : {};
}

function ofMany(item: Parameters<typeof schemasOf>[0], root: JsonSchemaObject, depth: number): string {
  const [schema] = schemasOf(item === undefined ? [] : [item]);
  const noun = schema ? nounOf(factsOf(schema, root), root, depth + 1) : "anything";
  return ` of ${Object.values(types).find(({ one }) => one === noun)?.many ?? (/^[\w-]+$/.test(noun) && noun === "e-mail" ? "e-mails" : noun)}`;
}

/** Up to three kinds by name; shapes are counted. */
function unionNoun(choices: JsonSchemaObject[], root: JsonSchemaObject, depth: number): string {
  const count = `one of ${choices.length} shapes`;
  if (choices.length > 6 || depth >= deepest) return count;
  const nouns = [...new Set(choices.map((choice) => nounOf(factsOf(choice, root), root, depth + 1)))];
  const areShapes =
    nouns.length < choices.length ||
    nouns.length > 4 ||
    nouns.some((noun) => noun.startsWith("one of") && noun.endsWith("shapes"));
  return areShapes ? count : nouns.join(" or ");
}
