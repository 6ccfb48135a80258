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

/** The JSON of a body; `undefined`: it is not JSON. */
export function jsonOf(body: ReadBody | null): Json | undefined {
  if (!body || body.text === null) return undefined;
  try {
    const json: Json = JSON.parse(body.text.replace(/^\uFEFF/, ""));
    return json;
  } catch {
    return undefined;
  }
}
