import type { Json } from "../../contract/json.ts";
import type { BodyFormat } from "../../contract/project/endpoint.ts";
import { isObject } from "./json-schema.ts";

/** The media type that a sender uses for each format. */
export const sentTypes: Record<BodyFormat["type"], string> = {
  json: "application/json",
  form: "application/x-www-form-urlencoded",
  multipart: "multipart/form-data",
  text: "text/plain",
  bytes: "application/octet-stream",
};

/** The body of a request that a person writes as JSON, in the format that the endpoint accepts. */
interface EncodedBody {
  contentType: string;
  body: string | Uint8Array<ArrayBuffer>;
}

/**
 * Encodes the JSON of a test event: a form has a field for each property, text is a string, bytes are a string in
 * base64. `null`: the value does not have the shape of the format, or is not JSON.
 */
export function encodeBody(format: BodyFormat, text: string): EncodedBody | null {
  const contentType = sentTypes[format.type];
  if (format.type === "json") return { contentType, body: text };
  if (format.type === "form" && format.field !== null)
    return { contentType, body: new URLSearchParams([[format.field, text]]).toString() };
  const value = parse(text);
  if (format.type === "form" || format.type === "multipart") {
    // A number alone keeps its notation in an object.
    if (!isObject(value) || !/^\s*\{/.test(text)) return null;
    const fields = fieldsOf(value);
    return format.type === "form"
      ? { contentType, body: new URLSearchParams(fields).toString() }
      : { contentType: `${contentType}; boundary=${boundary}`, body: encodeParts(fields) };
  }
  if (typeof value !== "string") return null;
  return { contentType, body: format.type === "text" ? value : decodeBase64(value) };
}

/** A number keeps the notation of the text, which JavaScript may be unable to represent. */
function parse(text: string): Json | undefined {
  // The types of TypeScript's library lack the source, and raw JSON. Old browsers have neither.
  const rawJson: unknown = Reflect.get(JSON, "rawJSON");
  const keepSource = (_: string, value: unknown, { source }: { source?: string } = {}): unknown =>
    typeof value === "number" && source !== undefined && typeof rawJson === "function"
      ? Reflect.apply(rawJson, JSON, [source])
      : value;
  try {
    const json: Json = JSON.parse(text, keepSource);
    return json;
  } catch {
    return undefined;
  }
}

function fieldsOf(value: Record<string, Json>): [string, string][] {
  return Object.entries(value).flatMap(([name, values]): [string, string][] =>
    [values].flat().map((each) => [name, typeof each === "string" ? each : JSON.stringify(each)]),
  );
}

const boundary = "signalbox-4f9c2a7d81e6";

function encodeParts(fields: readonly (readonly [string, string])[]): string {
  const parts = fields.map(
    ([name, value]) => `--${boundary}\r\nContent-Disposition: form-data; name="${quote(name)}"\r\n\r\n${value}\r\n`,
  );
  return `${parts.join("")}--${boundary}--\r\n`;
}

function quote(name: string): string {
  return name.replaceAll('"', "%22").replaceAll("\r", "%0D").replaceAll("\n", "%0A");
}

function decodeBase64(text: string): Uint8Array<ArrayBuffer> {
  try {
    return Uint8Array.from(atob(text), (character) => character.charCodeAt(0));
  } catch {
    return new Uint8Array();
  }
}
