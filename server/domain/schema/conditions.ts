import type { Json, JsonSchemaObject } from "../../contract/json.ts";

/** What must hold of one place in the body, in words: `type` `is invoice.paid`. */
export interface Condition {
  place: string;
  words: string;
}

/** What a trigger asks of a body: its filter where it has one, else the fields that `request` needs. A summary, at most `limit` long. */
export function conditionsOf(request: JsonSchemaObject, filter: JsonSchemaObject | null, limit = 3): Condition[] {
  const found = filter ? walk(filter, "") : [];
  return (found.length > 0 ? found : walk(request, "")).slice(0, limit);
}

function walk(schema: JsonSchemaObject, place: string): Condition[] {
  const properties = schema["properties"];
  if (isObject(properties)) {
    const required = Array.isArray(schema["required"]) ? schema["required"] : [];
    return Object.entries(properties).flatMap(([name, value]) =>
      isObject(value) && required.includes(name) ? walk(value, place === "" ? name : `${place}.${name}`) : [],
    );
  }
  return place === "" ? [] : [{ place, words: inWords(schema) }];
}

const formats: Record<string, string> = { email: "is an e-mail", uri: "is a URL", uuid: "is a UUID", "date-time": "is a time", date: "is a date" };

function inWords(schema: JsonSchemaObject): string {
  if (schema["const"] !== undefined) return `is ${say(schema["const"])}`;
  if (Array.isArray(schema["enum"])) return `is ${schema["enum"].map(say).join(" or ")}`;
  const bounds = [bound("≥", schema["minimum"]), bound(">", schema["exclusiveMinimum"]), bound("≤", schema["maximum"]), bound("<", schema["exclusiveMaximum"])].filter((one) => one !== "");
  if (bounds.length > 0) return bounds.join(" and ");
  if (typeof schema["format"] === "string" && formats[schema["format"]]) return formats[schema["format"]] ?? "";
  if (typeof schema["pattern"] === "string") return `matches ${schema["pattern"]}`;
  if (schema["type"] === "string" && Number(schema["minLength"] ?? 0) > 0) return "not empty";
  return typeof schema["type"] === "string" ? `is ${article(schema["type"])}` : "is there";
}

/** Bounds at the edge of what a number can be are no bounds. */
function bound(sign: string, value: Json | undefined): string {
  return typeof value === "number" && Math.abs(value) < Number.MAX_SAFE_INTEGER ? `${sign} ${value}` : "";
}

function article(type: string): string {
  return `${/^[aio]/.test(type) ? "an" : "a"} ${type}`;
}

function say(value: Json): string {
  return typeof value === "string" ? value : JSON.stringify(value);
}

function isObject(value: Json | undefined): value is JsonSchemaObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
