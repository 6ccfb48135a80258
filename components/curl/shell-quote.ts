/**
 * Quotes any text as one word for a POSIX shell. Inside single quotes only the quote itself is special. Plain words
 * stay unquoted.
 */
export function shellQuote(text: string): string {
  return /^[\w./:@][\w./:@-]*$/.test(text) ? text : `'${text.replaceAll("'", String.raw`'\''`)}'`;
}
