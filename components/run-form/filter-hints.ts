import type { JsonSchemaObject } from "../../server/contract/json.ts";
import { describeSchema } from "../../server/domain/schema/describe-schema.ts";
import { asSchema, flatten, own } from "./resolve-schema.ts";

/** The requirement of a trigger's filter for a path, in addition to `request`; `null`: none. */
export function filterHint(filter: JsonSchemaObject | null, path: readonly (string | number)[]): string | null {
  if (filter === null || path.length === 0) return null;
  let at = filter;
  for (const step of path) {
    const next = own(asSchema(flatten(at, filter)["properties"]), String(step));
    if (next === undefined || typeof step === "number") return null;
    at = asSchema(next);
  }
  // The fields of an object have their own hints.
  if (flatten(at, filter)["properties"] !== undefined) return null;
  return describeSchema(at, filter);
}
