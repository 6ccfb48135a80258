/**
 * The position at which a string stops being valid JSON (RFC 8259), and the reason. It contains no part of the string,
 * which may contain secrets.
 */
export interface JsonSyntaxIssue {
  /** Index of the first invalid character; the length of the string if it ends early. */
  offset: number;
  what: string;
}

interface Cursor {
  text: string;
  at: number;
}

/** `null` for valid JSON. Recursive: limit the depth first. */
export function findJsonError(text: string): JsonSyntaxIssue | null {
  const cursor = { text, at: 0 };
  const wrong = value(cursor);
  if (wrong) return wrong;
  skipSpace(cursor);
  return cursor.at < text.length ? fault(cursor, "unexpected text after the end of the JSON") : null;
}

function value(cursor: Cursor): JsonSyntaxIssue | null {
  skipSpace(cursor);
  const start = cursor.text[cursor.at];
  if (start === undefined) return fault(cursor, "expected a value");
  if (start === "{") return object(cursor);
  if (start === "[") return array(cursor);
  if (start === '"') return string(cursor);
  if (take(cursor, literalPattern)) return null;
  if (start === "'") return fault(cursor, "strings need double quotes");
  return fault(cursor, "expected a value");
}

function object(cursor: Cursor): JsonSyntaxIssue | null {
  cursor.at++;
  if (closes(cursor, "}")) return null;
  for (;;) {
    skipSpace(cursor);
    if (cursor.text[cursor.at] !== '"') return fault(cursor, "expected a property name in double quotes");
    const wrong = string(cursor) ?? colon(cursor) ?? value(cursor);
    if (wrong) return wrong;
    if (closes(cursor, "}")) return null;
    if (cursor.text[cursor.at] !== ",") return fault(cursor, "expected a comma or a closing brace");
    cursor.at++;
  }
}

function array(cursor: Cursor): JsonSyntaxIssue | null {
  cursor.at++;
  if (closes(cursor, "]")) return null;
  for (;;) {
    const wrong = value(cursor);
    if (wrong) return wrong;
    if (closes(cursor, "]")) return null;
    if (cursor.text[cursor.at] !== ",") return fault(cursor, "expected a comma or a closing bracket");
    cursor.at++;
  }
}

function string(cursor: Cursor): JsonSyntaxIssue | null {
  const start = cursor.at;
  cursor.at++;
  while (take(cursor, plainPattern) || take(cursor, escapePattern));
  const end = cursor.text[cursor.at];
  if (end === undefined) return { offset: start, what: "unterminated string" };
  if (end === "\\") return fault(cursor, "invalid escape sequence");
  if (end !== '"') return fault(cursor, "unescaped control character in a string");
  cursor.at++;
  return null;
}

function colon(cursor: Cursor): JsonSyntaxIssue | null {
  skipSpace(cursor);
  if (cursor.text[cursor.at] !== ":") return fault(cursor, "expected a colon");
  cursor.at++;
  return null;
}

function closes(cursor: Cursor, bracket: string): boolean {
  skipSpace(cursor);
  if (cursor.text[cursor.at] !== bracket) return false;
  cursor.at++;
  return true;
}

const spacePattern = /[ \t\n\r]*/y;
const literalPattern = /(?:true|false|null|-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?)/y;
/** Characters that are valid in a string without an escape. */
// oxlint-disable-next-line no-control-regex -- JSON forbids just these
const plainPattern = /[^"\\\u0000-\u001f]+/y;
const escapePattern = /\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4})/y;

function skipSpace(cursor: Cursor): void {
  take(cursor, spacePattern);
}

function take(cursor: Cursor, pattern: RegExp): boolean {
  pattern.lastIndex = cursor.at;
  const isThere = pattern.test(cursor.text);
  if (isThere) cursor.at = pattern.lastIndex;
  return isThere;
}

function fault(cursor: Cursor, what: string): JsonSyntaxIssue {
  return { offset: cursor.at, what: cursor.at < cursor.text.length ? what : `unexpected end: ${what}` };
}
