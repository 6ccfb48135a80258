/**
 * Writes the typed events of GitHub from its OpenAPI description and from recorded examples: `npm ci` does so
 * (`dependencies` in package.json). `payloads.ts` has the types, `event-data.ts` the data of the same shapes. Git
 * ignores both.
 */
import { readFileSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";

const folder = join(import.meta.dirname, "../sdk/sources/github");
const load = createRequire(import.meta.url);

type Json = string | number | boolean | null | Json[] | { [key: string]: Json };
type JsonObject = { [key: string]: Json };

/** A type, with the fields of its objects and the items of its arrays. */
interface Type {
  scalars: Set<string>;
  isNullable: boolean;
  items: Type | null;
  fields: Map<string, { type: Type; isOptional: boolean }> | null;
}

const isObject = (value: Json | undefined): value is JsonObject =>
  typeof value === "object" && value !== null && !Array.isArray(value);
const objectsIn = (value: Json | undefined): JsonObject[] => (Array.isArray(value) ? value.filter(isObject) : []);
const textsIn = (value: Json | undefined): string[] =>
  [value ?? []].flat().filter((one): one is string => typeof one === "string");

/** The files of generated code, by name. */
export function githubEvents(): Map<string, string> {
  const description = JSON.parse(
    readFileSync(
      load.resolve("@octokit/openapi-webhooks").replace(/index\.js$/, "generated/api.github.com.json"),
      "utf8",
    ),
  ) as JsonObject;
  const resolve = (schema: JsonObject): JsonObject => {
    const reference = schema["$ref"];
    if (typeof reference !== "string") return schema;
    let at: Json | undefined = description;
    for (const key of reference.split("/").slice(1)) at = isObject(at) ? at[key] : undefined;
    return isObject(at) ? resolve(at) : {};
  };
  const typeOf = createTypeReader(resolve);
  const examples = readExamples();
  const shapes = new Map<string, number>();
  const events = new Map<string, number>();
  const samples: JsonObject[] = [];
  const webhooks = isObject(description["webhooks"]) ? description["webhooks"] : {};
  for (const webhook of Object.values(webhooks)) {
    const post = isObject(webhook) && isObject(webhook["post"]) ? webhook["post"] : {};
    const schema = bodySchema(post);
    const [name = "", action] = String(post["operationId"]).replaceAll("-", "_").split("/");
    const type = schema ? typeOf(schema) : null;
    if (!type?.fields) continue;
    const actions = type.fields.has("action") ? actionsIn(resolve(schema ?? {}), resolve) : [];
    const event =
      action === undefined || !type.fields.has("action")
        ? name
        : `${name}.${actions.length === 1 ? actions[0] : action}`;
    const shape = shapeOf(type, shapes);
    events.set(event, shape);
    const all = examples.get(name) ?? [];
    const own = all.filter((example) => actions.length === 0 || actions.includes(String(example["action"])));
    for (const example of [...own, ...all]) addSamples(type, example, { shapes, samples });
  }
  const sorted = [...events].sort(([one], [other]) => (one < other ? -1 : 1));
  return new Map([
    ["payloads.ts", payloadsCode([...shapes.keys()], sorted)],
    ["event-data.ts", dataCode([...shapes.keys()], sorted, samples)],
  ]);
}

function bodySchema(post: JsonObject): JsonObject | null {
  let at: Json | undefined = post;
  for (const key of ["requestBody", "content", "application/json", "schema"]) at = isObject(at) ? at[key] : undefined;
  return isObject(at) ? at : null;
}

/** The values of `action`. */
function actionsIn(schema: JsonObject, resolve: (schema: JsonObject) => JsonObject): string[] {
  const properties = isObject(schema["properties"]) ? schema["properties"] : {};
  const action = isObject(properties["action"]) ? resolve(properties["action"]) : {};
  return textsIn(action["enum"]);
}

function createTypeReader(resolve: (schema: JsonObject) => JsonObject): (schema: JsonObject) => Type {
  const above: JsonObject[] = [];
  const read = (given: JsonObject): Type => {
    const schema = resolve(given);
    if (above.includes(schema)) return anything();
    above.push(schema);
    let type = ownType(schema, read);
    for (const part of objectsIn(schema["allOf"])) type = both(type, read(part));
    const choices = [...objectsIn(schema["oneOf"]), ...objectsIn(schema["anyOf"])].map(read);
    const [first, ...rest] = choices;
    if (first) type = both(type, rest.reduce(either, first));
    above.pop();
    return schema["nullable"] === true ? { ...type, isNullable: true } : type;
  };
  return read;
}

const anything = (): Type => ({ scalars: new Set(), isNullable: false, items: null, fields: null });

function ownType(schema: JsonObject, read: (schema: JsonObject) => Type): Type {
  const type = anything();
  const names = textsIn(schema["type"]);
  if (names.length === 0 && isObject(schema["properties"])) names.push("object");
  if (names.length === 0 && Array.isArray(schema["enum"])) names.push("string");
  if (Array.isArray(schema["enum"]) && schema["enum"].includes(null)) type.isNullable = true;
  for (const name of names) {
    if (name === "null") type.isNullable = true;
    else if (name === "array") type.items = isObject(schema["items"]) ? read(schema["items"]) : anything();
    else if (name !== "object") type.scalars.add(name);
    else if (isObject(schema["properties"]) && Object.keys(schema["properties"]).length > 0) {
      const required = new Set(textsIn(schema["required"]));
      type.fields = new Map(
        Object.entries(schema["properties"]).map(([key, value]) => [
          key,
          { type: isObject(value) ? read(value) : anything(), isOptional: !required.has(key) },
        ]),
      );
    } else type.scalars.add("object");
  }
  return type;
}

const isAnything = ({ scalars, items, fields }: Type): boolean => scalars.size === 0 && !items && !fields;

/** Of two schemas that both apply, the fields of both. */
function both(one: Type, other: Type): Type {
  const isNullable = one.isNullable || other.isNullable;
  if (isAnything(one)) return { ...other, isNullable };
  if (!one.fields || !other.fields) return { ...one, isNullable };
  const fields = new Map(one.fields);
  for (const [key, field] of other.fields) {
    const known = fields.get(key);
    fields.set(
      key,
      known ? { type: both(known.type, field.type), isOptional: known.isOptional && field.isOptional } : field,
    );
  }
  return { ...one, fields, isNullable };
}

/** Of a choice, what its members have in common is required. */
function either(one: Type, other: Type): Type {
  const fields = one.fields && other.fields ? new Map(one.fields) : (one.fields ?? other.fields);
  if (one.fields && other.fields && fields) {
    for (const [key, field] of one.fields) {
      const second = other.fields.get(key);
      fields.set(
        key,
        second
          ? { type: either(field.type, second.type), isOptional: field.isOptional || second.isOptional }
          : { ...field, isOptional: true },
      );
    }
    for (const [key, field] of other.fields) if (!one.fields.has(key)) fields.set(key, { ...field, isOptional: true });
  }
  return {
    scalars: new Set([...one.scalars, ...other.scalars]),
    isNullable: one.isNullable || other.isNullable,
    items: one.items && other.items ? either(one.items, other.items) : (one.items ?? other.items),
    fields,
  };
}

/** The index of the shape of an object: equal objects have one. */
function shapeOf(type: Type, shapes: Map<string, number>): number {
  const text = [...(type.fields ?? [])]
    .map(([key, field]) => `${key}${field.isOptional ? "?" : ""}:${codeOf(field.type, shapes)}`)
    .join(",");
  const known = shapes.get(text);
  if (known !== undefined) return known;
  shapes.set(text, shapes.size);
  return shapes.size - 1;
}

const letters: Record<string, string> = { string: "s", integer: "i", number: "n", boolean: "b", object: "o" };

/** Letters for scalars, `[…]` for an array, `{7}` for an object of shape 7, `0` for null, and `u` for any value. */
function codeOf(type: Type, shapes: Map<string, number>): string {
  const scalars = [...type.scalars].map((name) => letters[name] ?? "").sort();
  const array = type.items ? `[${codeOf(type.items, shapes)}]` : "";
  const object = type.fields ? `{${shapeOf(type, shapes)}}` : "";
  const code = `${scalars.join("")}${array}${object}`;
  return code === "" ? "u" : `${code}${type.isNullable ? "0" : ""}`;
}

function readExamples(): Map<string, JsonObject[]> {
  const all = load("@octokit/webhooks-examples/api.github.com/index.json") as {
    name: string;
    examples: JsonObject[];
  }[];
  return new Map(all.map(({ name, examples }) => [name, examples]));
}

const maxSample = 80;

/** Adds the scalars of an example to the samples of the shapes, where they are missing. */
function addSamples(
  type: Type,
  example: JsonObject,
  made: { shapes: Map<string, number>; samples: JsonObject[] },
): void {
  const own = (made.samples[shapeOf(type, made.shapes)] ??= {});
  for (const [key, field] of type.fields ?? []) {
    const value = example[key];
    if (value === undefined) continue;
    if (isObject(value) && field.type.fields) addSamples(field.type, value, made);
    else if (Array.isArray(value) && field.type.items?.fields)
      for (const item of objectsIn(value).slice(0, 1)) addSamples(field.type.items, item, made);
    else if (
      !isObject(value) &&
      !Array.isArray(value) &&
      (own[key] ?? null) === null &&
      String(value).length <= maxSample
    )
      own[key] = value;
  }
}

const generated = "// Generated by scripts/write-github-events.ts from GitHub's OpenAPI description. Do not edit.";

function payloadsCode(shapes: readonly string[], events: readonly (readonly [string, number])[]): string {
  const interfaces = shapes.map(
    (shape, at) =>
      `interface S${at} {\n${fieldsIn(shape)
        .map(({ key, isOptional, code }) => `  ${JSON.stringify(key)}${isOptional ? "?" : ""}: ${typeCode(code)};\n`)
        .join("")}}\n`,
  );
  const list = events.map(([event, shape]) => `  ${JSON.stringify(event)}: S${shape};\n`).join("");
  return `${generated}\n\n/** The payload of each event of GitHub. */\nexport interface GitHubEvents {\n${list}}\n\n${interfaces.join("\n")}`;
}

function fieldsIn(shape: string): { key: string; isOptional: boolean; code: string }[] {
  return shape === ""
    ? []
    : shape.split(",").map((field) => {
        const cut = field.lastIndexOf(":");
        const name = field.slice(0, cut);
        const isOptional = name.endsWith("?");
        return { key: isOptional ? name.slice(0, -1) : name, isOptional, code: field.slice(cut + 1) };
      });
}

const names: Record<string, string> = {
  s: "string",
  i: "number",
  n: "number",
  b: "boolean",
  o: "{ [key: string]: unknown }",
  u: "unknown",
  "0": "null",
};

function typeCode(code: string): string {
  const parts = code.match(/\[.*\]|\{\d+\}|./g) ?? [];
  const types = parts.map((part) => {
    if (part.startsWith("[")) return `(${typeCode(part.slice(1, -1))})[]`;
    return part.startsWith("{") ? `S${part.slice(1, -1)}` : (names[part] ?? "unknown");
  });
  return [...new Set(types)].join(" | ");
}

function lines(values: readonly unknown[]): string {
  return values.map((value) => `  ${JSON.stringify(value)},\n`).join("");
}

function dataCode(
  shapes: readonly string[],
  events: readonly (readonly [string, number])[],
  samples: readonly JsonObject[],
): string {
  return [
    `${generated}\n\n`,
    "/** The fields of each shape. Letters are scalars, `[…]` is an array, `{7}` an object of shape 7, `0` null. */\n",
    `export const shapes: readonly string[] = [\n${lines(shapes)}];\n\n`,
    "/** Sample values of the fields of each shape. */\n",
    `export const samples: readonly { readonly [field: string]: unknown }[] = [\n${lines(shapes.map((_, at) => samples[at] ?? {}))}];\n\n`,
    "/** The shape of the payload of each event. */\n",
    `export const events: { readonly [event: string]: number } = {\n${events.map(([event, shape]) => `  ${JSON.stringify(event)}: ${shape},\n`).join("")}};\n`,
  ].join("");
}

if (import.meta.main) for (const [name, code] of githubEvents()) writeFileSync(join(folder, name), code);
