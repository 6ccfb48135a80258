/** A command for a POSIX shell that sends a text as JSON, byte for byte. `token`: the name of the variable that holds an API token. */
export function toCurl({ url, text, token = null }: { url: string; text: string; token?: string | null }): string {
  return [
    `curl -sS -X POST ${quote(url)}`,
    ...(token === null ? [] : [`-H "Authorization: Bearer $${token}"`]),
    "-H 'Content-Type: application/json'",
    // Not --data-binary: it would read a file for a text that begins with @.
    `--data-raw ${quote(text)}`,
  ].join(" \\\n  ");
}

/** One word for a POSIX shell, whatever is in it. */
export function quote(text: string): string {
  return `'${text.replaceAll("'", String.raw`'\''`)}'`;
}
