import { fromPointer, toPointer } from "../../server/domain/json/json-pointer.ts";
import type { Tone } from "../ui/statuses.ts";
import type { JsonLine } from "./json-layout.ts";

/** A mark on a value of the body, with a note. */
export interface JsonMark {
  pointer: string;
  tone: Tone;
  note: string;
}

/** The merged marks of one line. */
export interface LineMark {
  line: number;
  tone: Tone;
  notes: string[];
}

const tonesBySeverity: readonly Tone[] = ["bad", "wait", "run", "idle", "ok"];

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

/**
 * The marks by line, from top to bottom. Marks on the same line are merged in the most severe tone. Notes of satisfied
 * conditions are dropped if another mark on the line is not satisfied.
 */
export function mergeMarks(text: string, lines: readonly JsonLine[], marks: readonly JsonMark[]): LineMark[] {
  const byLine = Map.groupBy(
    marks.map((mark) => locateMark(text, lines, mark)),
    ({ line }) => line,
  );
  const lineMarks = Array.from(byLine, ([line, here]): LineMark => {
    const tone = tonesBySeverity.find((tone) => here.some((mark) => mark.tone === tone)) ?? "idle";
    const noted = here.filter((mark) => mark.note !== "" && (mark.tone !== "ok" || tone === "ok"));
    return { line, tone, notes: [...new Set(noted.map(({ note }) => note))] };
  });
  return lineMarks.sort((a, b) => a.line - b.line);
}

function locateMark(
  text: string,
  lines: readonly JsonLine[],
  mark: JsonMark,
): { line: number; tone: Tone; note: string } {
  const { line, missing } = resolvePointer(text, lines, mark.pointer);
  const note =
    missing === null ? mark.note : [`${missing} is missing here`, mark.note].filter((part) => part !== "").join(": ");
  return { line, tone: mark.tone, note };
}
