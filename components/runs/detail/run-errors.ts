import type { Json } from "../../../server/contract/json.ts";
import type { Run, RunError } from "../../../server/contract/run.ts";
import type { TimelineEntry } from "../../../server/contract/timeline.ts";

/** The user's code around the line of an error, as it was when the run executed. */
export interface ErrorSource {
  file: string;
  line: number;
  column: number;
  lines: { number: number; text: string }[];
}

/** One validation issue. */
export interface ErrorIssue {
  pointer: string;
  code: string;
  message: string;
}

/** The error of one attempt. */
export interface AttemptError {
  attempt: number;
  at: string;
  error: RunError;
  source: ErrorSource | null;
  issues: ErrorIssue[];
  /** The step that threw the error. */
  step: string | null;
}

/** The errors of a run's attempts, oldest first. Before the timeline is loaded: the error of the run. */
export function errorsOfRun(
  run: Pick<Run, "error" | "attempt" | "finishedAt" | "createdAt">,
  entries: readonly TimelineEntry[],
): AttemptError[] {
  const found: AttemptError[] = [];
  for (const entry of entries) {
    if (entry.error === null || !failing.has(entry.kind)) continue;
    const isKnown = found.at(-1)?.attempt === entry.attempt;
    if (!isKnown) found.push(describeError(entry, entry.error, stepOf(entry, entries)));
  }
  const last = found.at(-1);
  if (run.error && (!last || last.attempt < run.attempt)) {
    found.push({
      attempt: run.attempt,
      at: run.finishedAt ?? run.createdAt,
      error: run.error,
      source: null,
      issues: [],
      step: null,
    });
  }
  return found;
}

/** The entries with errors. `attempt_failed` comes first; the entry that ends the run repeats the error. */
const failing: ReadonlySet<TimelineEntry["kind"]> = new Set(["attempt_failed", "failed", "timed_out"]);

export function describeError(entry: TimelineEntry, error: RunError, step: TimelineEntry | null = null): AttemptError {
  return {
    attempt: entry.attempt,
    at: entry.at,
    error,
    source: readSource(entry.data) ?? readSource(step?.data ?? null),
    issues: [entry, step].map((one) => readIssues(one?.data ?? null)).find((issues) => issues.length > 0) ?? [],
    step: step?.name ?? (entry.kind === "step_failed" ? entry.name : null),
  };
}

/** The step of the same attempt whose error failed the attempt. */
function stepOf(failure: TimelineEntry, entries: readonly TimelineEntry[]): TimelineEntry | null {
  const isItsCause = (entry: TimelineEntry) =>
    entry.kind === "step_failed" &&
    entry.attempt === failure.attempt &&
    entry.error?.name === failure.error?.name &&
    entry.error?.message === failure.error?.message;
  return entries.findLast((entry) => entry.id < failure.id && isItsCause(entry)) ?? null;
}

function readSource(data: Json | null): ErrorSource | null {
  const source = fieldOf(data, "source");
  const [file, line, column, lines] = ["file", "line", "column", "lines"].map((key) => fieldOf(source, key));
  if (typeof file !== "string" || typeof line !== "number" || !Array.isArray(lines)) return null;
  const read = lines.flatMap((one) => {
    const [number, text] = [fieldOf(one, "number"), fieldOf(one, "text")];
    return typeof number === "number" && typeof text === "string" ? [{ number, text }] : [];
  });
  return { file, line, column: typeof column === "number" ? column : 1, lines: read };
}

function readIssues(data: Json | null): ErrorIssue[] {
  const errors = fieldOf(data, "errors");
  if (!Array.isArray(errors)) return [];
  return errors.flatMap((one) => {
    const [pointer, code, message] = ["pointer", "code", "message"].map((key) => fieldOf(one, key));
    return typeof pointer === "string" && typeof message === "string"
      ? [{ pointer, code: typeof code === "string" ? code : "", message }]
      : [];
  });
}

function fieldOf(value: Json | undefined | null, key: string): Json | undefined {
  return typeof value === "object" && value !== null && !Array.isArray(value) ? value[key] : undefined;
}

/** A line of a stack, or collapsed frames of Node and of packages. */
type StackPart = { kind: "line"; text: string; isFrame: boolean } | { kind: "folded"; lines: string[] };

/** The lines of a stack without the first ones that repeat `message`. Frames outside of the user's code are collapsed. */
export function foldStack(stack: string, message: string): StackPart[] {
  const parts: StackPart[] = [];
  for (const text of withoutMessage(stack, message)) {
    const isFrame = /^\s+at /.test(text);
    const last = parts.at(-1);
    if (!isFrame || !isForeign(text)) parts.push({ kind: "line", text, isFrame });
    else if (last?.kind === "folded") last.lines.push(text);
    else parts.push({ kind: "folded", lines: [text] });
  }
  return parts;
}

/** `HttpError: 503 from …` is already shown above the stack. */
function withoutMessage(stack: string, message: string): string[] {
  const lines = stack.split("\n");
  const head = message.split("\n");
  const isHead = head.every((text, index) => (index === 0 ? (lines[0] ?? "").endsWith(text) : lines[index] === text));
  return isHead ? lines.slice(head.length) : lines;
}

function isForeign(frame: string): boolean {
  return /\bnode_modules[/\\]|\bfile:\/\/|\bnode:|\(internal[/\\]|\(<anonymous>\)|\(native\)|at native$/.test(frame);
}
