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

/** The marks by line, from the top. Several on one line become one: with all that they say, in the gravest of their tones. */
export function placeMarks(text: string, lines: readonly JsonLine[], marks: readonly JsonMark[]): PlacedMark[] {
  const byLine = new Map<number, PlacedMark>();
  for (const mark of marks) {
    const { line, missing } = findPlace(text, lines, mark.pointer);
    const note = missing === null ? mark.note : [`${missing} is missing here`, mark.note].filter((part) => part !== "").join(": ");
    const placed = byLine.get(line);
    if (!placed) byLine.set(line, { line, tone: mark.tone, notes: note === "" ? [] : [note] });
    else {
      if (note !== "" && !placed.notes.includes(note)) placed.notes.push(note);
      if (gravest.indexOf(mark.tone) < gravest.indexOf(placed.tone)) placed.tone = mark.tone;
    }
  }
  return [...byLine.values()].sort((a, b) => a.line - b.line);
}
