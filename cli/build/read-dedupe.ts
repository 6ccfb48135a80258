import { parseDuration } from "../../sdk/duration.ts";
import type { Dedupe } from "../../server/contract/dedupe.ts";
import { toPointer } from "../../server/domain/json-pointer.ts";

const defaultWindow = "24h";
const minWindowMs = 1000;
const maxWindowMs = 30 * 86_400_000;

/** The parsed `dedupe` of a source, or its problem, as the rest of a title that begins with `dedupe › `. */
export function readDedupe(dedupe: unknown): { dedupe: Dedupe } | { property: string; problem: string } {
  if (typeof dedupe !== "object" || dedupe === null || Array.isArray(dedupe))
    return { property: "dedupe", problem: `is ${show(dedupe)}` };
  const options: { header?: unknown; field?: unknown; window?: unknown } = dedupe;
  const unknown = Object.keys(options).find((name) => !["header", "field", "window"].includes(name));
  if (unknown !== undefined) return { property: unknown, problem: `${unknown} is not an option` };
  const { header, field, window = defaultWindow } = options;
  if (header !== undefined && field !== undefined)
    return { property: "dedupe", problem: "has a header and a field, but only one is allowed" };
  if (header === undefined && field === undefined && options.window === undefined)
    return { property: "dedupe", problem: "has no header, field or window" };
  const windowMs = parseDuration(window);
  if (windowMs === null || windowMs < minWindowMs || windowMs > maxWindowMs)
    return { property: "window", problem: `window is ${show(window)}` };
  if (header !== undefined) {
    if (typeof header !== "string" || !/^[!#$%&'*+.^_`|~0-9a-z-]+$/i.test(header))
      return { property: "header", problem: `header is ${show(header)}, which is not a header name` };
    return { dedupe: { header: header.toLowerCase(), field: null, windowMs } };
  }
  if (field === undefined) return { dedupe: { header: null, field: null, windowMs } };
  const pointer = readPointer(field);
  return pointer === null
    ? { property: "field", problem: `field is ${show(field)}, which is not a JSON Pointer or a dotted path` }
    : { dedupe: { header: null, field: pointer, windowMs } };
}

/** The JSON Pointer (RFC 6901) for a pointer or for names joined by dots; `null`: it is neither. */
function readPointer(field: unknown): string | null {
  if (typeof field !== "string" || field === "") return null;
  if (field.startsWith("/")) return /^(?:\/(?:[^~/]|~[01])+)+$/.test(field) ? field : null;
  const names = field.split(".");
  return names.every((name) => /^[^/~\s]+$/.test(name)) ? toPointer(names) : null;
}

function show(value: unknown): string {
  return JSON.stringify(value) ?? String(value);
}
