import { createScanner } from "jsonc-parser";

/** A stretch of the source text. */
export interface Span {
  start: number;
  end: number;
}

/**
 * One line of the pretty view. Every value begins a line of its own, so a line's number also names the value that
 * begins there.
 */
export interface JsonLine {
  kind: "object" | "array" | "string" | "number" | "word" | "end";
  depth: number;
  /** The line of the object or array around it; -1 for the whole document. */
  parent: number;
  /** The name of a member, with its quotes. */
  key: Span | null;
  /** The value, or its opening bracket, or (of an `end`) its closing one. */
  token: Span;
  /** The line on which the value ends: its own, but of objects and arrays that hold something. */
  last: number;
  /** How many values it holds. */
  count: number;
  hasComma: boolean;
}

/**
 * The lines of a JSON text, laid out anew but with every token as it came: numbers, escapes and repeated keys are those
 * of the text. `null`: this is not JSON. Does not recurse, however deep the text is nested.
 */
export function layOutJson(text: string): readonly JsonLine[] | null {
  if (!isJson(text)) return null;
  const lines: JsonLine[] = [];
  const open: JsonLine[] = [];
  const openAt: number[] = [];
  let key: Span | null = null;
  // Where a member's name has been read, the next token that counts is its value.
  let isKeyNext = false;
  for (const token of tokensOf(text)) {
    const character = text[token.start];
    if (character === ":") continue;
    if (character === ",") {
      const before = lines.at(-1);
      if (before) before.hasComma = true;
      isKeyNext = open.at(-1)?.kind === "object";
    } else if (character === "}" || character === "]") {
      close(lines, { opener: open.pop(), openerAt: openAt.pop() ?? -1, token });
      isKeyNext = false;
    } else if (isKeyNext) {
      key = token;
      isKeyNext = false;
    } else {
      const parent = open.at(-1);
      if (parent) parent.count += 1;
      const line: JsonLine = {
        kind: kindOf(character),
        depth: open.length,
        parent: openAt.at(-1) ?? -1,
        key,
        token,
        last: lines.length,
        count: 0,
        hasComma: false,
      };
      key = null;
      if (line.kind === "object" || line.kind === "array") {
        open.push(line);
        openAt.push(lines.length);
        isKeyNext = line.kind === "object";
      }
      lines.push(line);
    }
  }
  return lines;
}

function close(
  lines: JsonLine[],
  { opener, openerAt, token }: { opener: JsonLine | undefined; openerAt: number; token: Span },
): void {
  if (!opener) return;
  // What holds nothing stays on one line: {} or [].
  if (opener.count === 0) return;
  opener.last = lines.length;
  lines.push({
    kind: "end",
    depth: opener.depth,
    parent: openerAt,
    key: null,
    token,
    last: lines.length,
    count: 0,
    hasComma: false,
  });
}

function isJson(text: string): boolean {
  try {
    JSON.parse(withoutMark(text));
    return true;
  } catch {
    return false;
  }
}

/** A byte order mark is ignored, as the receiver does. */
function withoutMark(text: string): string {
  return text.startsWith("\uFEFF") ? text.slice(1) : text;
}

/** The tokens of a JSON text, without the space between them. */
export function* tokensOf(text: string): Generator<Span> {
  const scanner = createScanner(text, true);
  scanner.setPosition(text.startsWith("\uFEFF") ? 1 : 0);
  for (;;) {
    scanner.scan();
    const length = scanner.getTokenLength();
    if (length === 0) return;
    const start = scanner.getTokenOffset();
    yield { start, end: start + length };
  }
}

function kindOf(character: string | undefined): JsonLine["kind"] {
  if (character === "{") return "object";
  if (character === "[") return "array";
  if (character === '"') return "string";
  return character === "t" || character === "f" || character === "n" ? "word" : "number";
}
