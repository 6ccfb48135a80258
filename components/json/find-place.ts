import { fromPointer, toPointer } from "../../server/domain/json/json-pointer.ts";
import type { JsonLine } from "./lay-out-json.ts";

/** The target of a JSON Pointer: the line of the value, or the line of its nearest ancestor and the missing rest. */
export interface PointerTarget {
  line: number;
  missing: string | null;
}

/** Resolves a JSON Pointer (RFC 6901). Of repeated keys the last one counts, as in JSON parsers. */
export function resolvePointer(text: string, lines: readonly JsonLine[], pointer: string): PointerTarget {
  let at = 0;
  const segments = fromPointer(pointer);
  for (const [index, segment] of segments.entries()) {
    const next = childOf(text, lines, at, segment);
    if (next === null) return { line: at, missing: segments.slice(index).join(".") || '""' };
    at = next;
  }
  return { line: at, missing: null };
}

function childOf(text: string, lines: readonly JsonLine[], parent: number, segment: string): number | null {
  const holder = lines[parent];
  if (!holder || holder.count === 0) return null;
  let found: number | null = null;
  let index = 0;
  for (let at = parent + 1; at < holder.last; index++) {
    const line = lines[at];
    if (!line) return found;
    if (holder.kind === "array" ? String(index) === segment : nameOf(text, line) === segment) found = at;
    at = line.last + 1;
  }
  return found;
}

/** The name of a member without quotes and escapes; `null` for items of arrays. */
export function nameOf(text: string, line: JsonLine): string | null {
  if (!line.key) return null;
  const raw = text.slice(line.key.start, line.key.end);
  return raw.includes("\\") ? String(JSON.parse(raw)) : raw.slice(1, -1);
}

/** The JSON Pointer (RFC 6901) of the value that starts on a line. */
export function pointerOf(text: string, lines: readonly JsonLine[], at: number): string {
  const segments: string[] = [];
  let current = lines[at]?.kind === "end" ? (lines[at]?.parent ?? -1) : at;
  for (let line = lines[current]; line && line.parent >= 0; line = lines[current]) {
    segments.push(nameOf(text, line) ?? String(indexOf(lines, line.parent, current)));
    current = line.parent;
  }
  return toPointer(segments.reverse());
}

function indexOf(lines: readonly JsonLine[], parent: number, child: number): number {
  let index = 0;
  for (let at = parent + 1; at < child; index++) at = (lines[at]?.last ?? child) + 1;
  return index;
}
