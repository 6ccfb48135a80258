import type { AgentInput } from "../../../server/contract/agent/input.ts";

/**
 * Moves the marks of a prompt after an edit, so that they stay on payload data. Text typed inside a mark, or over a
 * part of one, is marked, too: marking too much is safe, marking too little is not.
 */
export function moveMarks(before: AgentInput, prompt: string): AgentInput {
  const change = changeOf(before.prompt, prompt);
  const marks: AgentInput["marks"] = [];
  for (const mark of before.marks) {
    const moved = move(mark, change);
    const start = Math.max(moved.start, marks.at(-1)?.end ?? 0);
    if (moved.end > start) marks.push({ start, end: moved.end, path: mark.path });
  }
  return { prompt, marks };
}

/** The replaced range, from the first differing UTF-16 unit to the last. */
interface Change {
  from: number;
  to: number;
  /** The end of the replacement. */
  end: number;
}

function changeOf(before: string, after: string): Change {
  const max = Math.min(before.length, after.length);
  let from = 0;
  while (from < max && before[from] === after[from]) from += 1;
  let kept = 0;
  while (kept < max - from && before[before.length - 1 - kept] === after[after.length - 1 - kept]) kept += 1;
  return { from, to: before.length - kept, end: after.length - kept };
}

function move({ start, end }: { start: number; end: number }, change: Change): { start: number; end: number } {
  const shift = change.end - change.to;
  return {
    start:
      start <= change.from
        ? start + (start === change.from && start === change.to ? shift : 0)
        : start >= change.to
          ? start + shift
          : change.from,
    end: end <= change.from ? end : end >= change.to ? end + shift : change.end,
  };
}

/** Normalizes line ends to those of a text area, and moves the marks accordingly. */
export function withLineFeeds({ prompt, marks }: AgentInput): AgentInput {
  const at = (place: number) => feed(prompt.slice(0, place)).length;
  // A mark that begins inside of a CRLF begins after it.
  return {
    prompt: feed(prompt),
    marks: marks.map(({ start, end, path }) => ({ start: at(start), end: at(end), path })),
  };
}

function feed(text: string): string {
  return text.replaceAll(/\r\n?/g, "\n");
}
