/** Visible text, or the code point of one invisible character. */
export type VisiblePart = { text: string } | { hidden: number };

/**
 * Characters that are invisible or reorder the text around them. These are controls (except tab and line breaks),
 * separators of lines and paragraphs, fillers, and format characters such as direction overrides, zero-width spaces and
 * tags. Joiners
 * are not included, because scripts and emoji need them.
 */
const hidden =
  /(?![\t\n\r\u200C-\u200D\u0600-\u0605\u06DD\u070F\u08E2])[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\u115F\u1160\u3164\uFFA0]/gu;

/** Splits a text at hidden characters, so that they can be shown as code points. */
export function splitHidden(text: string): VisiblePart[] {
  const parts: VisiblePart[] = [];
  let from = 0;
  for (const match of text.matchAll(hidden)) {
    if (match.index > from) parts.push({ text: text.slice(from, match.index) });
    parts.push({ hidden: match[0].codePointAt(0) ?? 0 });
    from = match.index + match[0].length;
  }
  if (from < text.length || parts.length === 0) parts.push({ text: text.slice(from) });
  return parts;
}

/** `U+202E`. */
export function codePointName(point: number): string {
  return `U+${point.toString(16).toUpperCase().padStart(4, "0")}`;
}
