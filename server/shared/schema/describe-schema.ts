import type { Json, JsonSchemaObject } from "../../contract/json.ts";
import { formatNumber } from "../format.ts";
import { shortJson } from "../json/short-json.ts";
import { type Facts, factsOf, firstOf, textsOf, tightest } from "./facts-of.ts";
import { nameFormat, formatOfPattern, readPattern } from "./formats.ts";
import { schemasOf } from "./json-schema.ts";
import { visibleText } from "./visible-text.ts";

const conditions = { starts: "starts with", ends: "ends with", contains: "contains" };

/** Formats that fully describe their own pattern. An email or a URL may have to match another pattern as well. */
const isOpen = (format: string) => ["email", "uri", "url", "hostname"].includes(format);

/** The limits of number types: these bounds do not express the intended range. */
const edges = new Set([
  Number.MAX_SAFE_INTEGER,
  2 ** 31 - 1,
  2 ** 31,
  2 ** 32 - 1,
  3.4028234663852886e38,
  Number.MAX_VALUE,
  2 ** 63,
  2 ** 64,
]);

const sizes = [
  { min: "minLength", max: "maxLength", unit: "character" },
  { min: "minItems", max: "maxItems", unit: "item" },
  { min: "minProperties", max: "maxProperties", unit: "key" },
];

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

const maxDepth = 3;

/**
 * Describes a schema briefly, for labels: `integer ≥ 0`, `one of eur, usd, gbp`, `email`, `array of strings, 1 to 3
 * items`. `root`: the document that its references point into.
 */
export function describeSchema(schema: JsonSchemaObject, root: JsonSchemaObject): string {
  const facts = factsOf(schema, root);
  const noun = describeType(facts, root);
  if (facts.values) return facts.values.length === 1 ? `is ${noun}` : noun;
  if (facts.isNever) return noun;
  const bounds = describeNumberBounds(facts);
  const [first, ...others] = bounds;
  const number = first === undefined ? noun : /^[≥>≤<=]/.test(first) ? `${noun} ${first}` : `${noun}, ${first}`;
  return visibleText([number, ...others, ...describeString(facts).patterns, ...sizesOf(facts)].join(", "), 160);
}

/** A named property: also whether it is optional, and its default. */
export function describeProperty(p: { schema: JsonSchemaObject; root: JsonSchemaObject; isRequired: boolean }): string {
  const words = describeSchema(p.schema, p.root);
  const standard = firstOf(factsOf(p.schema, p.root), "default");
  if (standard !== undefined) return `${words}, ${describeValue(standard)} if absent`;
  return p.isRequired ? words : `${words}, optional`;
}

/** The length of a tuple is in its items. */
function sizesOf(facts: Facts): string[] {
  return firstOf(facts, "prefixItems") === undefined ? describeSizes(facts) : [];
}

/**
 * A type as a noun, without bounds: `integer`, `array of strings`, `one of eur, usd`, `string or number`. Never longer
 * than a line.
 */
export function describeType(facts: Facts, root: JsonSchemaObject): string {
  return visibleText(nounOf(facts, root, 0), 120) || "anything";
}

/** Adds the article: `an integer`, `an email`. Phrases such as `one of 3 shapes` have none. */
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
        ? describeChoice(facts.values)
        : `one of ${listed(facts)}`;
  const [format] = describeString(facts).formats;
  if (format) return format.replace(/^an? /, "");
  const [union] = facts.unions;
  if (union) return unionNoun(union, root, depth);
  if (facts.types.length === 0) return facts.isNullable ? "null" : impliedNoun(facts, root, depth);
  return facts.types.map((type) => typeNoun({ type, facts, root, depth })).join(" or ");
}

function listed({ values }: Facts): string {
  return describeChoice(values ?? [], 6)
    .replace(/^one of /, "")
    .replace(/ or (?=[^ ]*$)/, ", ");
}

/** Zod exports no type if only keywords are checked. These keywords imply one. */
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
  if (depth >= maxDepth) return "array";
  if (first.length > 0)
    return first.length > 4
      ? `tuple of ${first.length}`
      : `tuple of ${first.map((item) => nounOf(factsOf(item, root), root, depth + 1)).join(", ")}`;
  const items = firstOf(facts, "items");
  return items === undefined ? "array" : `array${ofMany(items, root, depth)}`;
}

function recordNoun({ facts, root, depth }: { facts: Facts; root: JsonSchemaObject; depth: number }): string {
  const values = firstOf(facts, "additionalProperties") ?? Object.values(patternProperties(facts))[0];
  if (values === undefined || values === false || depth >= maxDepth) return "object";
  return `record${ofMany(values, root, depth)}`;
}

function patternProperties(facts: Facts): JsonSchemaObject {
  const found = firstOf(facts, "patternProperties");
  return typeof found === "object" && found !== null && !Array.isArray(found) ? found : {};
}

function ofMany(item: Parameters<typeof schemasOf>[0], root: JsonSchemaObject, depth: number): string {
  const [schema] = schemasOf(item === undefined ? [] : [item]);
  const noun = schema ? nounOf(factsOf(schema, root), root, depth + 1) : "anything";
  return ` of ${Object.values(types).find(({ one }) => one === noun)?.many ?? (noun === "email" ? "emails" : noun)}`;
}

/** Up to three kinds by name; shapes are counted. */
function unionNoun(choices: JsonSchemaObject[], root: JsonSchemaObject, depth: number): string {
  const count = `one of ${choices.length} shapes`;
  if (choices.length > 6 || depth >= maxDepth) return count;
  const nouns = [...new Set(choices.map((choice) => nounOf(factsOf(choice, root), root, depth + 1)))];
  const areShapes =
    nouns.length < choices.length ||
    nouns.length > 4 ||
    nouns.some((noun) => noun.startsWith("one of") && noun.endsWith("shapes"));
  return areShapes ? count : nouns.join(" or ");
}

/** Of a number: `≥ 1`, `≤ 9`, `a multiple of 5`. */
export function describeNumberBounds(facts: Facts): string[] {
  const min = tightest(facts, "minimum", Math.max);
  const max = tightest(facts, "maximum", Math.min);
  if (min !== null && min === max) return [`= ${formatInlineNumber(min)}`];
  return [
    describeBound("≥", min),
    describeBound(">", tightest(facts, "exclusiveMinimum", Math.max)),
    describeBound("≤", max),
    describeBound("<", tightest(facts, "exclusiveMaximum", Math.min)),
    ...facts.parts.flatMap(({ multipleOf }) =>
      typeof multipleOf === "number" ? [`a multiple of ${formatInlineNumber(multipleOf)}`] : [],
    ),
  ].filter((words) => words !== "");
}

function describeBound(sign: string, bound: number | null): string {
  return bound === null || edges.has(Math.abs(bound)) ? "" : `${sign} ${formatInlineNumber(bound)}`;
}

/** For a string, an array or a record: `not empty`, `exactly 5 characters`, `1 to 3 items`. */
export function describeSizes(facts: Facts): string[] {
  return sizes.flatMap(
    ({ min, max, unit }) =>
      describeSize(tightest(facts, min, Math.max) ?? 0, tightest(facts, max, Math.min), unit) ?? [],
  );
}

function describeSize(min: number, max: number | null, unit: string): string | null {
  if (max === null) return min <= 0 ? null : min === 1 ? "not empty" : `at least ${formatInlineNumber(min)} ${unit}s`;
  const units = max === 1 ? unit : `${unit}s`;
  if (min === max) return `exactly ${formatInlineNumber(max)} ${units}`;
  return min <= 0
    ? `at most ${formatInlineNumber(max)} ${units}`
    : `${formatInlineNumber(min)} to ${formatInlineNumber(max)} ${units}`;
}

/** A number in a sentence: four digits stay together, they may be a year. */
export function formatInlineNumber(value: number): string {
  return Math.abs(value) < 10_000 || Math.abs(value) >= 1e21 ? String(value) : formatNumber(value);
}

/** Describes the format of a string with its article (`an email`), and its other patterns (`starts with ord_`). */
export function describeString(facts: Facts): { formats: string[]; patterns: string[] } {
  const named = textsOf(facts, "format");
  const encodings = named.length > 0 ? [] : textsOf(facts, "contentEncoding");
  const patterns = textsOf(facts, "pattern");
  const ofPatterns = patterns.flatMap((pattern) => formatOfPattern(pattern) ?? []);
  const formats = [...named, ...encodings].flatMap((format) => nameFormat(format) ?? []);
  const hidesOthers = named.some((format) => nameFormat(format) !== null && !isOpen(format));
  return {
    formats: [...new Set([...formats, ...(named.length === 0 ? ofPatterns : [])])],
    patterns: patterns
      .filter((pattern) => formatOfPattern(pattern) === null && (!hidesOthers || readPattern(pattern) !== null))
      .map(describePattern),
  };
}

/** `ends with @example.com`, `is a ULID`, or `matches /^ord_[a-z0-9]{8}$/`. */
function describePattern(pattern: string): string {
  const format = formatOfPattern(pattern);
  if (format) return `is ${format}`;
  const plain = readPattern(pattern);
  if (plain?.kind === "is") return `is ${describeChoice(plain.texts)}`;
  if (plain) return `${conditions[plain.kind]} ${describeText(plain.texts[0] ?? "")}`;
  return `matches /${visibleText(pattern, 40)}/`;
}

/** A string needs no quotes if both of its ends are visible. */
function describeText(text: string): string {
  return /^[^\s"',]+$/u.test(text) ? visibleText(text, 40) : describeValue(text);
}

/** A fixed value: words unchanged, everything ambiguous in quotes. */
export function describeValue(value: Json, length = 40): string {
  const isWord =
    typeof value === "string" &&
    /^[\p{L}_][\p{L}\p{N}\p{Extended_Pictographic}._@:/+-]*$/u.test(value) &&
    !/^(?:true|false|null)$/.test(value);
  return visibleText(isWord ? value : shortJson(value, length), length);
}

/** `a`, `a or b`, `a, b or c`, `one of a, b, c and 5 more`. */
export function describeChoice(values: readonly Json[], max = 4): string {
  const said = values.slice(0, max).map((value) => describeValue(value));
  const more = values.length - said.length;
  if (more > 0) return `one of ${said.join(", ")} and ${more} more`;
  const last = said.pop() ?? "nothing";
  return said.length === 0 ? last : `${said.join(", ")} or ${last}`;
}
