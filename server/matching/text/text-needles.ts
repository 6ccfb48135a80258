/**
 * The forms that a text can have in JSON, in lower case: unchanged (JSON or words), escaped by JSON, and escaped by
 * serializers that write only ASCII. Letters beyond ASCII keep their case.
 */
export function textNeedles(text: string): Buffer[] {
  const escaped = JSON.stringify(text).slice(1, -1);
  const ascii = escaped.replace(/[^\0-\x7f]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`);
  return [...new Set([text, escaped, ascii].map(lowerAscii))].map((form) => Buffer.from(form));
}

function lowerAscii(text: string): string {
  return text.replace(/[A-Z]+/g, (letters) => letters.toLowerCase());
}
