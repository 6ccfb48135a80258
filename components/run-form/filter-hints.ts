import type { JsonSchemaObject } from "../../server/contract/json.ts";
import { describeSchema } from "../../server/domain/schema/describe-schema.ts";
import { asSchema, flatten, own } from "./resolve-schema.ts";

/** What a trigger's filter asks of a place beyond `request`, in words; `null` where it asks nothing. */
export function filterHint(filter: JsonSchemaObject | null, path: readonly (string | number)[]): string | null {
  if (filter === null || path.length === 0) return null;
  let at = filter;
  for (const step of path) {
    const next = own(asSchema(flatten(at, filter)["properties"]), String(step));
    if (next === undefined || typeof step === "number") return null;
    at = asSchema(next);
  }
  // Of an object, its fields say what they ask for.
  if (flatten(at, filter)["properties"] !== undefined) return null;
  return describeSchema(at, filter);
}
