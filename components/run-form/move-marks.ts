import type { AgentInput } from "../../server/contract/agent-input.ts";

/**
 * The marks of a prompt after a person has edited it: they stay on what came from the payload. What is typed within a
 * mark, or over a part of one, counts as the payload's, too: better one word too many than one too few.
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

/** The stretch that was replaced, from the first unit that differs to the last. */
interface Change {
  from: number;
  to: number;
  /** Where it ends now. */
  end: number;
}

function changeOf(before: string, after: string): Change {
  const most = Math.min(before.length, after.length);
  let from = 0;
  while (from < most && before[from] === after[from]) from += 1;
  let kept = 0;
  while (kept < most - from && before[before.length - 1 - kept] === after[after.length - 1 - kept]) kept += 1;
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

/** With the line ends that a text area has, and the marks where they belong then. */
export function withLineFeeds({ prompt, marks }: AgentInput): AgentInput {
  const at = (place: number) => feed(prompt.slice(0, place)).length;
  // A mark may begin between the two halves of a line end: it then begins behind it.
  return {
    prompt: feed(prompt),
    marks: marks.map(({ start, end, path }) => ({ start: at(start), end: at(end), path })),
  };
}

function feed(text: string): string {
  return text.replaceAll(/\r\n?/g, "\n");
}
