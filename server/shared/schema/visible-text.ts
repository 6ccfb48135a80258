/**
 * Control characters, marks that reorder or hide text, and lone surrogates: a reader would not see them, or would see
 * the text in another order.
 */
export const unseenCharacters =
  /[\p{Cc}\p{Cs}\u00AD\u061C\u180E\u200B\u200E\u200F\u2028-\u202E\u2060-\u206F\uFEFF\uFFF9-\uFFFB\u{E0000}-\u{E007F}]/gu;

/** An untrusted string, of at most `length` characters, with all invisible characters escaped: `\u202e`. */
export function visibleText(text: string, length = 80): string {
  const shown = text.slice(0, length + 1).replaceAll(unseenCharacters, escape);
  return shown.length <= length ? shown : cut(shown, length);
}

function escape(character: string): string {
  const code = (character.codePointAt(0) ?? 0).toString(16);
  return code.length > 4 ? `\\u{${code}}` : `\\u${code.padStart(4, "0")}`;
}

function cut(text: string, length: number): string {
  const isHalf = /[\uD800-\uDBFF]/.test(text[length - 2] ?? "");
  return `${text.slice(0, isHalf ? length - 2 : length - 1)}…`;
}
