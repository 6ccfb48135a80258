import type { Tone } from "../ui/statuses.ts";
import { resolvePointer } from "./find-place.ts";
import type { JsonLine } from "./lay-out-json.ts";

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
