import type { Json } from "../../server/contract/json.ts";

/** A body as received. `text`: the bytes as UTF-8, including a byte order mark; `null`: they are not UTF-8. */
export interface ReadBody {
  bytes: Uint8Array<ArrayBuffer>;
  text: string | null;
}

/** Decodes a base64 body. `null`: the body was empty, or is not stored. */
export function readBody(base64: string | null): ReadBody | null {
  if (base64 === null || base64 === "") return null;
  const bytes = Uint8Array.from(atob(base64), (character) => character.charCodeAt(0));
  try {
    return { bytes, text: new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes) };
  } catch {
    return { bytes, text: null };
  }
}

/** The JSON of a text; `undefined`: it is not JSON. */
export function jsonOf(text: string | null): Json | undefined {
  if (text === null) return undefined;
  try {
    const json: Json = JSON.parse(text.replace(/^\uFEFF/, ""));
    return json;
  } catch {
    return undefined;
  }
}

/** A hex dump of the first `max` bytes: offset, sixteen bytes in hexadecimal, and the same bytes as ASCII. */
export function hexLines(bytes: Uint8Array, max: number): string {
  const lines: string[] = [];
  for (let start = 0; start < Math.min(bytes.length, max); start += 16) {
    const row = Array.from(bytes.subarray(start, Math.min(start + 16, max)));
    const pairs = row.map((byte) => byte.toString(16).padStart(2, "0"));
    const ascii = row.map((byte) => (byte >= 0x20 && byte < 0x7f ? String.fromCharCode(byte) : ".")).join("");
    lines.push(
      `${start.toString(16).padStart(6, "0")}  ${pairs.slice(0, 8).join(" ").padEnd(23)}  ${pairs.slice(8).join(" ").padEnd(23)}  ${ascii}`,
    );
  }
  return lines.join("\n");
}
