import { Buffer } from "node:buffer";

/** Bytes of exactly that many hexadecimal digits; `null` for anything else. */
export function fromHex(text: string, bytes: number): Uint8Array | null {
  return text.length === bytes * 2 && /^[0-9a-f]*$/i.test(text) ? Buffer.from(text, "hex") : null;
}

/**
 * Bytes of base64 in its one canonical form: Node's own reading passes over what is none, and over bits that mean
 * nothing.
 */
export function fromBase64(text: string, bytes?: number): Uint8Array | null {
  const read = Buffer.from(text, "base64");
  return read.toString("base64") === text && (bytes === undefined || read.length === bytes) ? read : null;
}

/** The bytes of a header's value as they came: Node reads each as one character. */
export function headerBytes(value: string): Uint8Array {
  return Buffer.from(value, "latin1");
}
