import type { Json } from "../../server/contract/json.ts";

/** A body as it came. `text` where its bytes are UTF-8, a byte order mark included. */
export interface ReadBody {
  bytes: Uint8Array<ArrayBuffer>;
  text: string | null;
}

/** The bytes of a body from base64, and their text. `null`: nothing was kept, or there was nothing. */
export function readBody(base64: string | null): ReadBody | null {
  if (base64 === null || base64 === "") return null;
  const bytes = Uint8Array.from(atob(base64), (character) => character.charCodeAt(0));
  try {
    return { bytes, text: new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes) };
  } catch {
    return { bytes, text: null };
  }
}

/** The JSON of a body; `undefined` where it is none. */
export function jsonOf(body: ReadBody | null): Json | undefined {
  if (!body || body.text === null) return undefined;
  try {
    const json: Json = JSON.parse(body.text.replace(/^\uFEFF/, ""));
    return json;
  } catch {
    return undefined;
  }
}
