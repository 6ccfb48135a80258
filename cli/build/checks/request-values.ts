import { headerPattern } from "../../../sdk/verify/verification.ts";
import { pointerSchema } from "../../../server/contract/project/endpoint.ts";
import type { JsonSchemaObject } from "../../../server/contract/json.ts";
import { toPointer } from "../../../server/shared/json/json-pointer.ts";
import { checkSchemaPath } from "../../../server/shared/schema/check-path.ts";

/** Options that name a value of a request: a field of the body or the payload, or a header. */

/** The JSON Pointer (RFC 6901) for a pointer or for names joined by dots; `null`: it is neither. */
export function readPointer(field: unknown): string | null {
  if (typeof field !== "string" || field === "") return null;
  if (field.startsWith("/")) return pointerSchema.safeParse(field).success ? field : null;
  const names = field.split(".");
  return names.every((name) => /^[^/~\s]+$/.test(name)) ? toPointer(names) : null;
}

/** The name of a header in lower case; `null`: it is none. */
export function readHeaderName(header: unknown): string | null {
  return typeof header === "string" && headerPattern.test(header) ? header.toLowerCase() : null;
}

/** Why payloads of a schema have no value at a path, and the most similar path. `null`: they can have one. */
export function findWrongPath(
  schema: JsonSchemaObject,
  path: readonly string[],
): { what: string; similar: string | null } | null {
  const verdict = checkSchemaPath(schema, path);
  if (verdict.kind === "there") return null;
  const { name, before, nearest } = verdict;
  const where = before.length === 0 ? "the payload" : before.join(".");
  const similar = nearest === null ? null : [...before, nearest, ...path.slice(before.length + 1)].join(".");
  return { what: `${where} has no ${name}`, similar };
}
