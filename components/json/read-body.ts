import type { DeliveryDetails } from "../../server/contract/delivery.ts";
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

/** The JSON that triggers evaluate, as text. `null`: the body is not text, or is not stored. */
export function evaluatedText({ body, evaluated }: Pick<DeliveryDetails, "body" | "evaluated">): string | null {
  return evaluated?.text ?? readBody(body)?.text ?? null;
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

interface FormFile {
  filename: string;
  contentType: string;
  size: number;
  /** Of the API. */
  path: string;
}

/** The files of a multipart form, by its evaluated JSON. All other values of such a form are strings. */
export function filesOf(deliveryId: string, text: string): FormFile[] {
  const form = jsonOf(text);
  const values = typeof form === "object" && form !== null ? Object.values(form).flat() : [];
  return values.flatMap((value): FormFile[] => {
    if (typeof value !== "object" || value === null || Array.isArray(value)) return [];
    const { filename, contentType, size, path } = value;
    const isFile = typeof path === "string" && path.startsWith(`/api/v1/deliveries/${deliveryId}/files/`);
    return isFile && typeof filename === "string" && typeof contentType === "string" && typeof size === "number"
      ? [{ filename, contentType, size, path }]
      : [];
  });
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
