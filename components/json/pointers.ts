import { fromPointer } from "../../server/shared/json/json-pointer.ts";
import { type JsonLine, nameOf } from "../../server/shared/json/json-layout.ts";
import type { Tone } from "../ui/statuses.ts";

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
