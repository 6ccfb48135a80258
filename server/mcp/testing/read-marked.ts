/**
 * Reads the result of a tool as a client has to: the data ends at the tag with the digits of the opening one.
 * `outside`: all text that is not data.
 */
export function readMarked(text: string): { outside: string; data: unknown } {
  const open = /<untrusted-data-([0-9a-f]{16})>\n/.exec(text);
  if (!open) return { outside: text, data: undefined };
  const close = `\n</untrusted-data-${open[1]}>`;
  const [inside = "", ...after] = text.slice(open.index + open[0].length).split(close);
  return { outside: (text.slice(0, open.index) + after.join(close)).trim(), data: JSON.parse(inside) };
}
