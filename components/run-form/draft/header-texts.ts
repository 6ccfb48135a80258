import { ownHeaders } from "../../../server/contract/own-headers.ts";
import type { Json, JsonSchemaObject } from "../../../server/contract/json.ts";
import { exampleBody } from "../../../server/domain/schema/example-body.ts";
import { headerFields } from "../../../server/domain/schema/header-fields.ts";
import { isObject } from "../../../server/domain/schema/json-schema.ts";

/** The headers of a test event, as texts that a person edits. */

/** By name. A header that the schema takes as an array has several values. */
export type GivenHeaders = Readonly<Record<string, string | string[]>>;

/** The text of each field: the value of a header, or one value on each line. */
export type HeaderTexts = Readonly<Record<string, string>>;

/** The texts to start with: generated values that the schema accepts. */
export function exampleHeaders(schema: JsonSchemaObject | null): HeaderTexts {
  const example: Json = schema === null ? {} : exampleBody(schema, null);
  if (!isObject(example)) return {};
  return Object.fromEntries(Object.entries(example).map(([name, value]) => [name, textOf(value ?? null)]));
}

/** The texts to start with if the form repeats a delivery: its headers, as recorded. */
export function receivedHeaders(
  schema: JsonSchemaObject | null,
  headers: Readonly<Record<string, string>>,
): HeaderTexts {
  const repeated = repeatedHeaders(headers[ownHeaders.repeated]);
  return Object.fromEntries(
    (schema === null ? [] : headerFields(schema)).map(({ name, takes }) => {
      const values = repeated.get(name) ?? (Object.hasOwn(headers, name) ? [headers[name] ?? ""] : []);
      return [name, (takes === "list" ? values : values.slice(0, 1)).join("\n")];
    }),
  );
}

function repeatedHeaders(text: string | undefined): ReadonlyMap<string, readonly string[]> {
  if (text === undefined) return new Map();
  const values: Record<string, string[]> = JSON.parse(text);
  return new Map(Object.entries(values));
}

function textOf(value: Json): string {
  return Array.isArray(value) ? value.map(textOf).join("\n") : typeof value === "string" ? value : "";
}

/** The headers to send: an empty field is not sent. */
export function givenHeaders(schema: JsonSchemaObject | null, texts: HeaderTexts): GivenHeaders {
  const fields = schema === null ? [] : headerFields(schema);
  return Object.fromEntries(
    fields.flatMap(({ name, takes }): [string, string | string[]][] => {
      const text = texts[name] ?? "";
      const lines = text.split("\n").filter((line) => line !== "");
      if (lines.length === 0) return [];
      return [[name, takes === "list" ? lines : text]];
    }),
  );
}

/** The headers that a generated request to a trigger has. */
export function exampleGivenHeaders(schema: JsonSchemaObject | null | undefined): GivenHeaders {
  return givenHeaders(schema ?? null, exampleHeaders(schema ?? null));
}

/** `name: value`, one on each line. */
export function printHeaderLines(headers: GivenHeaders): string {
  return Object.entries(headers)
    .flatMap(([name, values]) => [values].flat().map((value) => `${name}: ${value}`))
    .join("\n");
}

/** The headers on the lines; lines that are no header are left out. */
export function parseHeaderLines(text: string): GivenHeaders {
  const lines = text.split("\n").flatMap((line): [string, string][] => {
    const [, name, value] = /^\s*([!#$%&'*+.^_`|~0-9A-Za-z-]+):\s*(.*?)\s*$/.exec(line) ?? [];
    return name === undefined || value === undefined ? [] : [[name.toLowerCase(), value]];
  });
  return Object.fromEntries(
    [...Map.groupBy(lines, ([name]) => name)].map(([name, found]) => [name, found.map(([, value]) => value)]),
  );
}
