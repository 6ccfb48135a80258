import type { Json } from "../../contract/json.ts";
import { isKindName, isWrapperName, kindHeaders } from "./discriminator.ts";
import { isConstantLike } from "./string-facts.ts";

/** A kind has at most this many parts. */
const maxParts = 3;

/**
 * The kind of one event, without knowledge of others: the header that names it, then the fields that usually do, e.g.
 * `issues opened` or `invoice.paid`. Empty if nothing names it.
 */
export function eventKind(body: Json, headers: Readonly<Record<string, string>>): string {
  const parts = [...Object.values(kindHeaders(headers)), ...kindFields(body, true)];
  return [...new Set(parts)].slice(0, maxParts).join(" ");
}

function kindFields(value: Json | undefined, isRoot: boolean): string[] {
  if (typeof value !== "object" || value === null || Array.isArray(value)) return [];
  const fields = Object.entries(value);
  const own = fields.flatMap(([name, text]) =>
    isKindName(name) && typeof text === "string" && isConstantLike(text) ? [text] : [],
  );
  if (!isRoot) return own;
  return [...own, ...fields.flatMap(([name, inner]) => (isWrapperName(name) ? kindFields(inner, false) : []))];
}
