import type { Json, JsonSchemaObject } from "../../../server/contract/json.ts";
import { formatCount } from "../../../server/domain/format.ts";
import { listIn } from "../resolve-schema.ts";

const kinds: Record<string, string> = {
  string: "a string",
  number: "a number",
  integer: "an integer",
  boolean: "true or false",
  null: "null",
  array: "an array",
  object: "an object",
};

const formats: Record<string, string> = {
  email: "an e-mail address",
  uri: "a URL",
  uuid: "a UUID",
  guid: "a GUID",
  "date-time": "a date and time, e.g. 2026-01-31T12:00:00Z",
  date: "a date, e.g. 2026-01-31",
  time: "a time, e.g. 12:00:00",
  duration: "an ISO 8601 duration, e.g. PT15M",
  ipv4: "an IPv4 address",
  ipv6: "an IPv6 address",
  hostname: "a hostname",
  cidrv4: "an IPv4 range",
  cidrv6: "an IPv6 range",
  e164: "a phone number, e.g. +4930123456",
  emoji: "an emoji",
  base64: "a base64 string",
  base64url: "a base64url string",
  hex: "a hexadecimal string",
  jwt: "a JWT",
  ulid: "a ULID",
  nanoid: "a nanoid",
  cuid: "a CUID",
  cuid2: "a CUID2",
  xid: "an XID",
  ksuid: "a KSUID",
  mac: "a MAC address",
};

/** The message for a violated keyword of a schema. */
export function wordsOf(keyword: string, schema: JsonSchemaObject): string {
  const bound = schema[keyword];
  switch (keyword) {
    case "type":
      return `Must be ${(Array.isArray(bound) ? bound : [bound]).map((type) => kinds[String(type)] ?? String(type)).join(" or ")}`;
    case "const":
      return `Must be ${nameValue(bound)}`;
    case "enum":
      return oneOf(listIn(bound));
    case "minimum":
      return `Must be ${String(bound)} or more`;
    case "maximum":
      return `Must be ${String(bound)} or less`;
    case "exclusiveMinimum":
      return `Must be more than ${String(bound)}`;
    case "exclusiveMaximum":
      return `Must be less than ${String(bound)}`;
    case "multipleOf":
      return `Must be a multiple of ${String(bound)}`;
    case "minLength":
      return bound === 1 ? "Must not be empty" : `Must have at least ${count(bound, "character")}`;
    case "maxLength":
      return `Must have at most ${count(bound, "character")}`;
    case "minItems":
      return bound === 1 ? "Must not be empty" : `Must have at least ${count(bound, "item")}`;
    case "maxItems":
      return bound === 0 ? "Must be empty" : `Must have at most ${count(bound, "item")}`;
    case "minProperties":
      return `Must have at least ${count(bound, "field")}`;
    case "maxProperties":
      return `Must have at most ${count(bound, "field")}`;
    case "pattern":
    case "format":
      return wordsOfFormat(schema);
    case "finite":
      return "Must be a finite number";
    case "safe":
      return `Must be between -${Number.MAX_SAFE_INTEGER} and ${Number.MAX_SAFE_INTEGER} to be exact`;
    case "uniqueItems":
      return "Must not contain duplicate items";
    default:
      return "Must match the schema";
  }
}

/** The name of the format, the requirement of `.startsWith()` and similar, or the pattern itself. */
function wordsOfFormat({ format, pattern }: JsonSchemaObject): string {
  const named = typeof format === "string" ? formats[format] : undefined;
  if (named !== undefined) return `Must be ${named}`;
  if (typeof pattern !== "string") return `Must have the format ${String(format)}`;
  const [, start] = /^\^((?:\\.|[\w @:/-])+)\.\*$/.exec(pattern) ?? [];
  if (start !== undefined) return `Must start with "${unescape(start)}"`;
  const [, end] = /^\.\*((?:\\.|[\w @:/!-])+)\$$/.exec(pattern) ?? [];
  if (end !== undefined) return `Must end with "${unescape(end)}"`;
  return /^(?:\\[^\w]|[\w @:/-])+$/.test(pattern) ? `Must contain "${unescape(pattern)}"` : `Must match ${pattern}`;
}

function unescape(pattern: string): string {
  return pattern.replaceAll(/\\(.)/g, "$1");
}

function oneOf(values: readonly Json[]): string {
  const shown = values.slice(0, 12).map(nameValue).join(", ");
  return `Must be one of ${shown}${values.length > 12 ? ", …" : ""}`;
}

function nameValue(value: Json | undefined): string {
  return typeof value === "string" && /^[^\s,"]+$/.test(value) ? value : JSON.stringify(value ?? null);
}

function count(bound: Json | undefined, unit: string): string {
  return formatCount(Number(bound), unit);
}
