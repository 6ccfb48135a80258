/**
 * One word for a POSIX shell, whatever is in it: in single quotes nothing means anything but the quote itself. Plain
 * words stay bare.
 */
export function shellQuote(text: string): string {
  return /^[\w./:@][\w./:@-]*$/.test(text) ? text : `'${text.replaceAll("'", String.raw`'\''`)}'`;
}
