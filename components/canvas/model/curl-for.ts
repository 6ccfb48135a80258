import type { Json } from "../../../server/contract/json.ts";

/** The command that sends a made-up body. Quotes are those of a POSIX shell. */
export function curlFor(url: string, example: Json): string {
  return `curl -i ${quote(url)} \\\n  -H 'Content-Type: application/json' \\\n  -d ${quote(JSON.stringify(example))}`;
}

function quote(text: string): string {
  return `'${text.replaceAll("'", String.raw`'\''`)}'`;
}
