export interface CurlRequest {
  url: string;
  /** Default: POST with a body, GET without one. */
  method?: string;
  /** A repeated header has several values. */
  headers?: Readonly<Record<string, string | readonly string[]>>;
  /** The shell variable that contains an API token. The command never contains the token itself. */
  tokenVariable?: string | null;
  /** Text, or bytes that are not valid text. */
  body?: string | Uint8Array | null;
}

/** On Linux, one program argument is limited to 128 KiB. Input that the shell pipes can be longer. */
const maxArgumentBytes = 100_000;

/** A command for any POSIX shell that sends exactly this request. All parts of the request are quoted. */
export function curlCommand({ url, method, headers = {}, tokenVariable = null, body = null }: CurlRequest): string {
  const implied = body === null ? "GET" : "POST";
  const parts = [
    `curl -i ${shellQuote(url)}`,
    ...(method === undefined || method === implied ? [] : [`-X ${shellQuote(method)}`]),
    ...(tokenVariable === null ? [] : [`-H "Authorization: Bearer $${tokenVariable}"`]),
    // For curl, `name:` removes a header, and `name;` sends it empty.
    ...Object.entries(headers).flatMap(([name, values]) =>
      [values].flat().map((value) => `-H ${shellQuote(value === "" ? `${name};` : `${name}: ${value}`)}`),
    ),
  ];
  if (body === null) return join(parts);
  if (typeof body !== "string") return fromBytes(body, parts);
  if (hasControls(body)) return fromBytes(new TextEncoder().encode(body), parts);
  if (new TextEncoder().encode(body).length > maxArgumentBytes)
    return `printf %s ${shellQuote(body)} | ${join([...parts, "--data-binary @-"])}`;
  // Not -d: it reads a file if the text begins with @.
  return join([...parts, `--data-raw ${shellQuote(body)}`]);
}

/** A command that sends JSON. */
export function jsonCurl({ text, headers, ...request }: Omit<CurlRequest, "body"> & { text: string }): string {
  return curlCommand({ ...request, headers: { ...headers, "Content-Type": "application/json" }, body: text });
}

function fromBytes(bytes: Uint8Array, parts: readonly string[]): string {
  const base64 = btoa(Array.from(bytes, (byte) => String.fromCharCode(byte)).join(""));
  return `printf %s ${shellQuote(base64)} | base64 -d | ${join([...parts, "--data-binary @-"])}`;
}

/** Terminals interpret pasted control characters, and shell arguments cannot contain NUL. */
function hasControls(text: string): boolean {
  return /(?![\t\n])[\p{Cc}\p{Zl}\p{Zp}\u202A-\u202E\u2066-\u2069\uFEFF]/u.test(text);
}

function join(parts: readonly string[]): string {
  return parts.join(" \\\n  ");
}

/**
 * Quotes any text as one word for a POSIX shell. Inside single quotes only the quote itself is special. Plain words
 * stay unquoted.
 */
export function shellQuote(text: string): string {
  return /^[\w./:@][\w./:@-]*$/.test(text) ? text : `'${text.replaceAll("'", String.raw`'\''`)}'`;
}
