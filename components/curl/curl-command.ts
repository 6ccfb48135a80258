import { shellQuote } from "./shell-quote.ts";

export interface CurlRequest {
  url: string;
  /** POST with a body and GET without one, unless it is said. */
  method?: string;
  headers?: Readonly<Record<string, string>>;
  /** The name of the shell's variable that holds an API token; nothing of the token itself stands in the command. */
  tokenVariable?: string | null;
  /** Text, or bytes that are none. */
  body?: string | Uint8Array | null;
}

/** One argument of a program is at most 128 KiB long on Linux; what the shell pipes itself may be longer. */
const maxInArgument = 100_000;

/** A command for any POSIX shell that sends exactly this. Nothing in the request can be taken for a command. */
export function curlCommand({ url, method, headers = {}, tokenVariable = null, body = null }: CurlRequest): string {
  const implied = body === null ? "GET" : "POST";
  const parts = [
    `curl -i ${shellQuote(url)}`,
    ...(method === undefined || method === implied ? [] : [`-X ${shellQuote(method)}`]),
    ...(tokenVariable === null ? [] : [`-H "Authorization: Bearer $${tokenVariable}"`]),
    // curl takes `name:` for "leave it out", and `name;` for an empty one.
    ...Object.entries(headers).map(
      ([name, value]) => `-H ${shellQuote(value === "" ? `${name};` : `${name}: ${value}`)}`,
    ),
  ];
  if (body === null) return join(parts);
  if (typeof body !== "string") return fromBytes(body, parts);
  if (hasControls(body)) return fromBytes(new TextEncoder().encode(body), parts);
  if (new TextEncoder().encode(body).length > maxInArgument)
    return `printf %s ${shellQuote(body)} | ${join([...parts, "--data-binary @-"])}`;
  // Not -d: it would read a file for a text that begins with @.
  return join([...parts, `--data-raw ${shellQuote(body)}`]);
}

/** The command that sends JSON. */
export function jsonCurl({ text, headers, ...request }: Omit<CurlRequest, "body"> & { text: string }): string {
  return curlCommand({ ...request, headers: { ...headers, "Content-Type": "application/json" }, body: text });
}

function fromBytes(bytes: Uint8Array, parts: readonly string[]): string {
  const base64 = btoa(Array.from(bytes, (byte) => String.fromCharCode(byte)).join(""));
  return `printf %s ${shellQuote(base64)} | base64 -d | ${join([...parts, "--data-binary @-"])}`;
}

/** A terminal acts on control characters when they are pasted, and a shell's arguments cannot have NUL. */
function hasControls(text: string): boolean {
  return /(?![\t\n])[\p{Cc}\p{Zl}\p{Zp}\u202A-\u202E\u2066-\u2069\uFEFF]/u.test(text);
}

function join(parts: readonly string[]): string {
  return parts.join(" \\\n  ");
}
