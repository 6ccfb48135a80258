import { ownHeaders } from "../../../server/contract/own-headers.ts";
import type { Json, JsonSchemaObject } from "../../../server/contract/json.ts";
import type { FieldPart } from "../../../server/contract/request-parts.ts";
import { printQuery, splitQuery } from "../../../server/shared/deliveries/query-text.ts";
import { exampleBody } from "../../../server/shared/schema/example-body.ts";
import { isObject } from "../../../server/shared/schema/json-schema.ts";
import { type NamedField, namedFields } from "../../../server/shared/schema/named-fields.ts";

/** The headers and the query of a test event, as texts that a person edits. */

/** The headers and the query of a request. A repeated header has several values; the query is as in a URL. */
export interface GivenFields {
  headers: Readonly<Record<string, string | string[]>>;
  query: string;
}

/** The schema of each part of a trigger; `null`: it has none. */
export type FieldSchemas = Readonly<Record<FieldPart, JsonSchemaObject | null>>;

/**
 * The text of each field of a part: the value, or one value on each line. A field without a text is not sent; one with
 * an empty text is sent empty.
 */
export type FieldTexts = Readonly<Record<string, string>>;
export type PartTexts = Readonly<Record<FieldPart, FieldTexts>>;

function eachPart<Value>(valueOf: (part: FieldPart) => Value): Record<FieldPart, Value> {
  return { headers: valueOf("headers"), query: valueOf("query") };
}

/** The texts to start with: generated values that the schemas accept. */
export function exampleTexts(schemas: FieldSchemas): PartTexts {
  return eachPart((part) => {
    const schema = schemas[part];
    const example: Json = schema === null ? {} : exampleBody(schema, null);
    if (!isObject(example)) return {};
    return Object.fromEntries(Object.entries(example).map(([name, value]) => [name, textOf(value ?? null)]));
  });
}

function textOf(value: Json): string {
  return Array.isArray(value) ? value.map(textOf).join("\n") : typeof value === "string" ? value : "";
}

/** The headers of a delivery, as recorded. They include its query. */
export type RecordedHeaders = Readonly<Record<string, string>>;

/** The texts to start with if the form repeats a delivery. */
export function receivedTexts(schemas: FieldSchemas, recorded: RecordedHeaders): PartTexts {
  const received = { headers: valuesOfHeaders(recorded), query: valuesOfQuery(recorded) };
  return eachPart((part) =>
    Object.fromEntries(
      fieldsOf(schemas[part]).flatMap(({ name, takes }): [string, string][] => {
        const values = received[part].get(name);
        return values ? [[name, (takes === "list" ? values : values.slice(0, 1)).join("\n")]] : [];
      }),
    ),
  );
}

function fieldsOf(schema: JsonSchemaObject | null): NamedField[] {
  return schema === null ? [] : namedFields(schema);
}

/** The request of a delivery, without the headers that the service has added. */
export function receivedFields(recorded: RecordedHeaders): GivenFields {
  const own = new Set<string>(Object.values(ownHeaders));
  const headers = [...valuesOfHeaders(recorded)].filter(([name]) => !own.has(name));
  return { headers: Object.fromEntries(headers), query: recorded[ownHeaders.query] ?? "" };
}

function valuesOfHeaders(recorded: RecordedHeaders): ReadonlyMap<string, string[]> {
  const repeated: Record<string, string[]> = JSON.parse(recorded[ownHeaders.repeated] ?? "{}");
  const single = Object.entries(recorded).map(([name, value]): [string, string[]] => [name, [value]]);
  return new Map([...single, ...Object.entries(repeated)]);
}

function valuesOfQuery(recorded: RecordedHeaders): ReadonlyMap<string, string[]> {
  const parameters = Map.groupBy(splitQuery(recorded[ownHeaders.query] ?? ""), ({ name }) => name);
  return new Map([...parameters].map(([name, found]) => [name, found.map(({ value }) => value)]));
}

/** `undefined`: the field is not sent. */
export function textIn(texts: FieldTexts, name: string): string | undefined {
  return Object.hasOwn(texts, name) ? texts[name] : undefined;
}

/** The texts with another one, as a person typed it. A field that is emptied is not sent. */
export function withText(texts: FieldTexts, name: string, text: string): FieldTexts {
  const { [name]: _, ...others } = texts;
  return text === "" ? others : { ...others, [name]: text };
}

/** The fields to send. */
export function givenFields(schemas: FieldSchemas, texts: PartTexts): GivenFields {
  const { headers, query } = eachPart((part) =>
    Object.fromEntries(
      fieldsOf(schemas[part]).flatMap(({ name, takes }): [string, string | string[]][] => {
        const text = textIn(texts[part], name);
        if (text === undefined) return [];
        if (takes !== "list") return [[name, text]];
        const lines = text.split("\n").filter((line) => line !== "");
        return [[name, lines.length > 0 ? lines : ""]];
      }),
    ),
  );
  return { headers, query: printQuery(query) };
}

/** The headers and the query of a generated request to a trigger. */
export function exampleFields(schemas: FieldSchemas | undefined): GivenFields {
  return schemas ? givenFields(schemas, exampleTexts(schemas)) : { headers: {}, query: "" };
}

/** `name: value`, one on each line. */
export function printHeaderLines(headers: GivenFields["headers"]): string {
  return Object.entries(headers)
    .flatMap(([name, values]) => [values].flat().map((value) => `${name}: ${value}`))
    .join("\n");
}

/** The headers on the lines; lines that are no header are left out. */
export function parseHeaderLines(text: string): GivenFields["headers"] {
  const lines = text.split("\n").flatMap((line): [string, string][] => {
    const [, name, value] = /^\s*([!#$%&'*+.^_`|~0-9A-Za-z-]+):\s*(.*?)\s*$/.exec(line) ?? [];
    return name === undefined || value === undefined ? [] : [[name.toLowerCase(), value]];
  });
  return Object.fromEntries(
    [...Map.groupBy(lines, ([name]) => name)].map(([name, found]) => [name, found.map(([, value]) => value)]),
  );
}
