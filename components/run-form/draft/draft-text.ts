import { splitHidden } from "../../json/split-hidden.ts";
import { type Draft, isEmptyNumber, isJsonNumber, type Item, type Member, rowId } from "./draft.ts";

/** The position of a JSON syntax error (both from 1), and its description. */
export interface JsonFault {
  line: number;
  column: number;
  what: string;
}

export type Parsed = { draft: Draft; fault: null } | { draft: null; fault: JsonFault };

const maxDepth = 512;

class Fault extends Error {
  readonly at: number;
  constructor(at: number, what: string) {
    super(what);
    this.at = at;
  }
}

/** Parses JSON (RFC 8259) and keeps its notation. */
export function parseDraft(text: string): Parsed {
  const reader = { text: text.replace(/^\uFEFF/, ""), at: 0, depth: 0 };
  try {
    const draft = readValue(reader);
    skipSpace(reader);
    if (reader.at < reader.text.length) throw new Fault(reader.at, "unexpected text after the end of the JSON");
    return { draft, fault: null };
  } catch (error) {
    if (!(error instanceof Fault)) throw error;
    return { draft: null, fault: { ...placeOf(reader.text, error.at), what: error.message } };
  }
}

/** `Line 2, column 5: expected a colon.` */
export function describeFault({ line, column, what }: JsonFault): string {
  return `Line ${line}, column ${column}: ${what}.`;
}

/** The position that a message starts with, as `describeFault` writes it and the service too. */
export function placeInMessage(message: string): { line: number; column: number } | null {
  const named = /^Line (\d+), column (\d+):/.exec(message);
  return named && { line: Number(named[1]), column: Number(named[2]) };
}

/** The offset of a position. Columns count characters, not UTF-16 units; after the last line, it is the end. */
export function offsetOf(text: string, { line, column }: { line: number; column: number }): number {
  const starts = [0, ...[...text.matchAll(/\r\n|\r|\n/g)].map((end) => end.index + end[0].length)];
  const start = starts[line - 1] ?? text.length;
  return (
    start +
    Array.from(text.slice(start))
      .slice(0, column - 1)
      .join("").length
  );
}

interface Reader {
  text: string;
  at: number;
  depth: number;
}

function readValue(reader: Reader): Draft {
  skipSpace(reader);
  const start = reader.text[reader.at];
  if (start === undefined)
    throw new Fault(
      reader.at,
      reader.text.trim() === "" ? "the text is empty" : "the text ends, but a value is expected",
    );
  if (start === "{") return { is: "object", members: readList(reader, "}", readMember) };
  if (start === "[") return { is: "list", items: readList(reader, "]", readItem) };
  if (start === '"') return { is: "string", text: readString(reader) };
  const literal = take(reader, wordPattern);
  if (literal === "true" || literal === "false") return { is: "boolean", value: literal === "true" };
  if (literal === "null") return { is: "null" };
  const number = take(reader, numberPattern);
  if (number !== null) return { is: "number", text: number };
  throw new Fault(reader.at, start === "'" ? "strings need double quotes" : "expected a value");
}

function readList<Row>(reader: Reader, end: "]" | "}", readRow: (reader: Reader) => Row): Row[] {
  if (++reader.depth > maxDepth) throw new Fault(reader.at, `nested deeper than ${maxDepth} levels`);
  reader.at++;
  const rows: Row[] = [];
  skipSpace(reader);
  if (reader.text[reader.at] !== end) {
    for (;;) {
      rows.push(readRow(reader));
      skipSpace(reader);
      const next = reader.text[reader.at];
      if (next === end) break;
      if (next === undefined)
        throw new Fault(reader.at, `the text ends before its closing ${end === "]" ? "bracket" : "brace"}`);
      if (next !== ",")
        throw new Fault(reader.at, `expected a comma or a closing ${end === "]" ? "bracket" : "brace"}`);
      reader.at++;
    }
  }
  reader.at++;
  reader.depth--;
  return rows;
}

function readItem(reader: Reader): Item {
  return { id: rowId(), draft: readValue(reader) };
}

function readMember(reader: Reader): Member {
  skipSpace(reader);
  if (reader.text[reader.at] !== '"') throw new Fault(reader.at, "expected a property name in double quotes");
  const key = readString(reader);
  skipSpace(reader);
  if (reader.text[reader.at] !== ":") throw new Fault(reader.at, "expected a colon");
  reader.at++;
  return { id: rowId(), key, draft: readValue(reader) };
}

function readString(reader: Reader): string {
  const start = reader.at;
  reader.at++;
  while (take(reader, plainPattern) !== null || take(reader, escapePattern) !== null);
  const end = reader.text[reader.at];
  if (end === undefined) throw new Fault(start, "unterminated string");
  if (end === "\\") throw new Fault(reader.at, "invalid escape sequence");
  if (end !== '"') throw new Fault(reader.at, "a control character in a string must be escaped");
  reader.at++;
  const parsed: unknown = JSON.parse(reader.text.slice(start, reader.at));
  return String(parsed);
}

const spacePattern = /[ \t\n\r]+/y;
const wordPattern = /(?:true|false|null)(?![\w$])/y;
const numberPattern = /-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?/y;
/** Characters that need no escape in a string. */
// oxlint-disable-next-line no-control-regex -- JSON forbids just these
const plainPattern = /[^"\\\u0000-\u001f]+/y;
const escapePattern = /\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4})/y;

function skipSpace(reader: Reader): void {
  take(reader, spacePattern);
}

function take(reader: Reader, pattern: RegExp): string | null {
  pattern.lastIndex = reader.at;
  const found = pattern.exec(reader.text)?.[0];
  if (found === undefined) return null;
  reader.at += found.length;
  return found;
}

function placeOf(text: string, at: number): { line: number; column: number } {
  const lines = text.slice(0, at).split(/\r\n|\r|\n/);
  return { line: lines.length, column: [...(lines.at(-1) ?? "")].length + 1 };
}

/** The JSON text of a draft, indented by two spaces. Invalid JSON is included as typed. */
export function printDraft(draft: Draft): string {
  return print(draft, "\n");
}

function print(draft: Draft, newline: string): string {
  switch (draft.is) {
    case "string":
      return textInJson(draft.text);
    case "number":
      return isJsonNumber(draft.text) ? draft.text : isEmptyNumber(draft) ? "null" : JSON.stringify(draft.text);
    case "boolean":
      return String(draft.value);
    case "null":
      return "null";
    case "raw":
      return draft.text;
    case "list":
      return enclose(
        "[",
        draft.items.map((item) => print(item.draft, `${newline}  `)),
        "]",
        newline,
      );
    case "object":
      return enclose(
        "{",
        draft.members
          .filter((member) => !isEmptyNumber(member.draft))
          .map(({ key, draft }) => `${textInJson(key)}: ${print(draft, `${newline}  `)}`),
        "}",
        newline,
      );
  }
}

/** Escapes invisible characters and characters that change the text direction. */
function textInJson(text: string): string {
  return splitHidden(JSON.stringify(text))
    .map((part) => ("text" in part ? part.text : escapeOf(String.fromCodePoint(part.hidden))))
    .join("");
}

function escapeOf(character: string): string {
  return character
    .split("")
    .map((unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`)
    .join("");
}

function enclose(open: string, parts: readonly string[], close: string, newline: string): string {
  return parts.length === 0 ? open + close : `${open}${newline}  ${parts.join(`,${newline}  `)}${newline}${close}`;
}
