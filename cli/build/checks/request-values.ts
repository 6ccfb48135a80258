import { toPointer } from "../../../server/shared/json/json-pointer.ts";

/** The JSON Pointer (RFC 6901) for a pointer or for names joined by dots; `null`: it is neither. */
export function readPointer(field: unknown): string | null {
  if (typeof field !== "string" || field === "") return null;
  if (field.startsWith("/")) return /^(?:\/(?:[^~/]|~[01])+)+$/.test(field) ? field : null;
  const names = field.split(".");
  return names.every((name) => /^[^/~\s]+$/.test(name)) ? toPointer(names) : null;
}

/** The name of a header in lower case; `null`: it is none. */
export function readHeaderName(header: unknown): string | null {
  return typeof header === "string" && /^[!#$%&'*+.^_`|~0-9a-z-]+$/i.test(header) ? header.toLowerCase() : null;
}
