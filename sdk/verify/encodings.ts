import { Buffer } from "node:buffer";

/** Decodes hexadecimal digits to exactly `bytes` bytes; `null` for any other text. */
export function fromHex(text: string, bytes: number): Uint8Array | null {
  return text.length === bytes * 2 && /^[0-9a-f]*$/i.test(text) ? Buffer.from(text, "hex") : null;
}

/** Decodes canonical base64; `null` for any other text. Node's decoder ignores invalid characters and unused bits. */
export function fromBase64(text: string, bytes?: number): Uint8Array | null {
  const read = Buffer.from(text, "base64");
  return read.toString("base64") === text && (bytes === undefined || read.length === bytes) ? read : null;
}

/** The bytes of a header's value as received: Node decodes each byte as one character. */
export function headerBytes(value: string): Uint8Array {
  return Buffer.from(value, "latin1");
}
