import type { JsonSchemaObject } from "../../contract/json.ts";

/** A schema's type in few words, for labels: `integer ≥ 0`, `one of eur, usd, gbp`, `list of string`. */
export function describeSchema(schema: JsonSchemaObject, _root: JsonSchemaObject): string {
  if (schema["const"] !== undefined) return JSON.stringify(schema["const"]);
  if (Array.isArray(schema["enum"])) return `one of ${schema["enum"].map((one) => (typeof one === "string" ? one : JSON.stringify(one))).join(", ")}`;
  return typeof schema["type"] === "string" ? schema["type"] : "anything";
}
