import { createScanner } from "jsonc-parser";

/** A range of the source text. */
export interface Span {
  start: number;
  end: number;
}

/** One line of formatted JSON. Every value starts on its own line, so a line number also identifies a value. */
export interface JsonLine {
  kind: "object" | "array" | "string" | "number" | "word" | "end";
  depth: number;
  /** The line of the enclosing object or array; -1 for the root value. */
  parent: number;
  /** The name of a member, with its quotes. */
  key: Span | null;
  /** The value, its opening bracket, or (for `end`) its closing bracket. */
  token: Span;
  /** The last line of the value. It differs from its own line only for non-empty objects and arrays. */
  last: number;
  /** Number of child values. */
  count: number;
  hasComma: boolean;
}

/**
 * Formats a JSON text as lines and keeps every token unchanged: numbers, escapes and repeated keys are those of the
 * text. `null`: invalid JSON. Not recursive, so any nesting depth works.
 */
export function layOutJson(text: string): readonly JsonLine[] | null {
  if (!isJson(text)) return null;
  const lines: JsonLine[] = [];
  const open: JsonLine[] = [];
  const openAt: number[] = [];
  let key: Span | null = null;
  // Whether the next token is a key, not a value.
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
  // Empty objects and arrays stay on one line: {} or [].
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

/** Ignores a byte order mark, like the ingest pipeline. */
function withoutMark(text: string): string {
  return text.startsWith("\uFEFF") ? text.slice(1) : text;
}

/** The tokens of a JSON text, without whitespace. */
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

/** The name of a member without quotes and escapes; `null` for items of arrays. */
export function nameOf(text: string, line: JsonLine): string | null {
  if (!line.key) return null;
  const raw = text.slice(line.key.start, line.key.end);
  return raw.includes("\\") ? String(JSON.parse(raw)) : raw.slice(1, -1);
}
