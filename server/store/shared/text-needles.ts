/**
 * The forms that a text may have inside JSON, in lower case: as it is (a piece of JSON, or words), as JSON escapes it,
 * and as those serializers write it that keep to ASCII. Letters beyond ASCII are left in the case they have.
 */
export function textNeedles(text: string): Buffer[] {
  const escaped = JSON.stringify(text).slice(1, -1);
  const ascii = escaped.replace(/[^\0-\x7f]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`);
  return [...new Set([text, escaped, ascii].map(lowerAscii))].map((form) => Buffer.from(form));
}

function lowerAscii(text: string): string {
  return text.replace(/[A-Z]+/g, (letters) => letters.toLowerCase());
}
