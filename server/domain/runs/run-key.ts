import { createHash } from "node:crypto";
import { maxKeyLength } from "../../../sdk/run-key.ts";
import type { Json } from "../../contract/json.ts";
import type { RunKeyParts } from "../../contract/project/run-key.ts";
import { fromPointer, valueAt } from "../../shared/json/json-pointer.ts";
import { type RecordedHeaders, firstValues } from "../deliveries/header-values.ts";
import { redacted } from "../privacy/redaction.ts";

const hashLength = 32;

/** Its trigger has a key, and the webhook had no value for it. */
export const missingKey = "";

/**
 * The key of a run. `null`: its trigger has none. `payload`: as `request` parsed it. `headers`: as recorded; `null`:
 * there was no request, and `otherwise` is the key if it needs one. Default: it is missing.
 */
export function keyOfRun(
  parts: RunKeyParts | null | undefined,
  p: { payload: Json; headers: RecordedHeaders | null; otherwise?: string | null },
): string | null {
  if (!parts) return null;
  const { payload, headers } = p;
  if (headers === null && parts.some((part) => "header" in part)) return p.otherwise ?? missingKey;
  const values: string[] = [];
  for (const part of parts) {
    const value = "field" in part ? fieldValue(part.field, payload) : headerValue(part.header, headers ?? {});
    if (value === null) return missingKey;
    values.push(value);
  }
  return joinValues(values);
}

/** Beyond the safe integers, different numbers in the body are parsed as the same number. */
function fieldValue(field: string, payload: Json): string | null {
  const value = valueAt(payload, fromPointer(field));
  if (typeof value === "string") return value === "" ? null : value;
  return Number.isSafeInteger(value) ? String(value) : null;
}

function headerValue(header: string, headers: RecordedHeaders): string | null {
  const values = firstValues(headers);
  const value = Object.hasOwn(values, header) ? values[header]?.trim() : undefined;
  return !value || value.includes(redacted) ? null : value;
}

/** Several values are joined so that equal keys have equal values. A longer key ends with its hash. */
function joinValues(values: readonly string[]): string {
  const [only = ""] = values;
  const joined =
    values.length === 1 ? only : values.map((value) => value.replace(/[%/]/g, encodeURIComponent)).join("/");
  // Postgres stores neither NUL nor half a pair.
  const text = joined.toWellFormed().replaceAll("\0", "\uFFFD");
  if (text.length <= maxKeyLength && text === joined) return text;
  const hash = createHash("sha256").update(JSON.stringify(values)).digest("hex").slice(0, hashLength);
  return `${text.slice(0, maxKeyLength - hashLength - 1).toWellFormed()}~${hash}`;
}
