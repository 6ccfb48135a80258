import type { Tone } from "../ui/statuses.ts";
import { findPlace } from "./find-place.ts";
import type { JsonLine } from "./lay-out-json.ts";

/** A place in the body to be pointed out, and what is to be said of it. */
export interface JsonMark {
  pointer: string;
  tone: Tone;
  note: string;
}

/** All that is said of one line. */
export interface PlacedMark {
  line: number;
  tone: Tone;
  notes: string[];
}

const gravest: readonly Tone[] = ["bad", "wait", "run", "idle", "ok"];

/**
 * The marks by line, from the top. Several on one line become one, in the gravest of their tones; where something is
 * wrong, what is right is not told.
 */
export function placeMarks(text: string, lines: readonly JsonLine[], marks: readonly JsonMark[]): PlacedMark[] {
  const byLine = Map.groupBy(
    marks.map((mark) => placeMark(text, lines, mark)),
    ({ line }) => line,
  );
  const placed = Array.from(byLine, ([line, here]): PlacedMark => {
    const tone = gravest.find((tone) => here.some((mark) => mark.tone === tone)) ?? "idle";
    const told = here.filter((mark) => mark.note !== "" && (mark.tone !== "ok" || tone === "ok"));
    return { line, tone, notes: [...new Set(told.map(({ note }) => note))] };
  });
  return placed.sort((a, b) => a.line - b.line);
}

function placeMark(
  text: string,
  lines: readonly JsonLine[],
  mark: JsonMark,
): { line: number; tone: Tone; note: string } {
  const { line, missing } = findPlace(text, lines, mark.pointer);
  const note =
    missing === null ? mark.note : [`${missing} is missing here`, mark.note].filter((part) => part !== "").join(": ");
  return { line, tone: mark.tone, note };
}
