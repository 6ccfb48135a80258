import { findJsonError } from "../../../server/shared/json/find-json-error.ts";
import { type Span, tokensOf } from "../../../server/shared/json/json-layout.ts";
import { splitHidden } from "../../json/split-hidden.ts";
import { type Draft, draftOf, isEmptyNumber, isJsonNumber, type Item, type Member, rowId } from "./draft.ts";

/** The position of a JSON syntax error (both from 1), and its description. */
export interface JsonFault {
  line: number;
  column: number;
  what: string;
}

export type Parsed = { draft: Draft; fault: null } | { draft: null; fault: JsonFault };

const maxDepth = 512;

/** Parses JSON (RFC 8259) and keeps its notation. Errors are those that the service reports. */
export function parseDraft(text: string): Parsed {
  const json = text.replace(/^\uFEFF/, "");
  const issue =
    json.trim() === "" ? { offset: 0, what: "the text is empty" } : (findDepth(json) ?? findJsonError(json));
  if (issue) return { draft: null, fault: { ...placeOf(json, issue.offset), what: issue.what } };
  return { draft: readValue(json, tokensOf(json)), fault: null };
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

/** Where the nesting is too deep to be read recursively. */
function findDepth(json: string): { offset: number; what: string } | null {
  let depth = 0;
  for (const { start } of tokensOf(json)) {
    if (json[start] === "{" || json[start] === "[") depth++;
    if (json[start] === "}" || json[start] === "]") depth--;
    if (depth > maxDepth) return { offset: start, what: `nested deeper than ${maxDepth} levels` };
  }
  return null;
}

/** The next value of valid JSON, which begins with `first`. */
function readValue(json: string, tokens: Iterator<Span>, first = nextToken(json, tokens)): Draft {
  switch (first[0]) {
    case "{": {
      const members: Member[] = [];
      for (let key = nextToken(json, tokens); key !== "}"; key = nextToken(json, tokens)) {
        if (key === ",") continue;
        // The colon.
        tokens.next();
        members.push({ id: rowId(), key: String(JSON.parse(key)), draft: readValue(json, tokens) });
      }
      return { is: "object", members };
    }
    case "[": {
      const items: Item[] = [];
      for (let item = nextToken(json, tokens); item !== "]"; item = nextToken(json, tokens))
        if (item !== ",") items.push({ id: rowId(), draft: readValue(json, tokens, item) });
      return { is: "list", items };
    }
    case '"':
      return draftOf.text(String(JSON.parse(first)));
    case "n":
      return draftOf.nothing();
    default:
      return first === "true" || first === "false" ? draftOf.boolean(first === "true") : draftOf.number(first);
  }
}

function nextToken(json: string, tokens: Iterator<Span>): string {
  const { value } = tokens.next();
  return json.slice(value.start, value.end);
}

function placeOf(text: string, at: number): { line: number; column: number } {
  const lines = text.slice(0, at).split(/\r\n|\r|\n/);
  return { line: lines.length, column: [...(lines.at(-1) ?? "")].length + 1 };
}

/** Whether the text of a draft is the value that a person means: each number is a number, each JSON text is JSON. */
export function isFinished(draft: Draft): boolean {
  switch (draft.is) {
    case "number":
      return isJsonNumber(draft.text);
    case "raw":
      return parseDraft(draft.text).fault === null;
    case "list":
      return draft.items.every((item) => isFinished(item.draft));
    case "object":
      return draft.members.every((member) => isFinished(member.draft));
    case "string":
    case "boolean":
    case "null":
      return true;
  }
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
