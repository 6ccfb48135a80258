import { isUtf8 } from "node:buffer";
import { AppError } from "../../contract/app-error.ts";
import type { Json } from "../../contract/json.ts";
import { findJsonError } from "./find-json-error.ts";

/** Zod and JSON.stringify recurse, JSON.parse does not: deeper nesting would overflow the stack later. */
const maxDepth = 512;

const utf8 = new TextDecoder("utf-8", { fatal: true });

/**
 * Parses the JSON of a body: UTF-8 with or without byte order mark, at most 512 levels deep. Throws AppError
 * `invalid_json` with line and column (both from 1, columns in characters), which never contains a part of the body.
 */
export function parseJsonBody(bytes: Uint8Array): Json {
  const text = decode(bytes);
  if (text.trim() === "") throw new AppError("invalid_json", "The body is empty. Send JSON.");
  const tooDeepAt = hasMoreBrackets(text, maxDepth) ? findDepthOver(bytes, maxDepth) : null;
  if (tooDeepAt !== null)
    throw invalid(textBefore(bytes, tooDeepAt), `the body is nested deeper than ${maxDepth} levels`);
  try {
    const json: Json = JSON.parse(text);
    return json;
  } catch (cause) {
    const fault = findJsonError(text);
    throw invalid(text.slice(0, fault?.offset), fault?.what ?? "invalid JSON", cause);
  }
}

function decode(bytes: Uint8Array): string {
  try {
    return utf8.decode(bytes);
  } catch (cause) {
    throw invalid(textBefore(bytes, findInvalidUtf8(bytes)), "invalid UTF-8", cause);
  }
}

function invalid(before: string, what: string, cause?: unknown): AppError {
  const lines = before.split(/\r\n|\r|\n/);
  const column = [...(lines.at(-1) ?? "")].length + 1;
  return new AppError("invalid_json", `Line ${lines.length}, column ${column}: ${what}.`, { cause });
}

function textBefore(bytes: Uint8Array, offset: number): string {
  return utf8.decode(bytes.subarray(0, offset));
}

/** Whether more brackets open, in strings or outside of them. Takes a tenth of the time of `findDepthOver`. */
function hasMoreBrackets(text: string, limit: number): boolean {
  let opened = 0;
  for (const bracket of ["{", "["])
    for (let at = text.indexOf(bracket); at >= 0; at = text.indexOf(bracket, at + 1)) if (++opened > limit) return true;
  return false;
}

/** Offset of the bracket that opens a level too many. Scans bytes, so that no parsing is needed first. */
function findDepthOver(bytes: Uint8Array, limit: number): number | null {
  let depth = 0;
  let isInString = false;
  for (let at = 0; at < bytes.length; at++) {
    const byte = bytes[at];
    if (isInString) {
      if (byte === 0x5c /* \ */) at++;
      else if (byte === 0x22 /* " */) isInString = false;
    } else if (byte === 0x22) isInString = true;
    else if (byte === 0x5b /* [ */ || byte === 0x7b /* { */) {
      if (++depth > limit) return at;
    } else if (byte === 0x5d || byte === 0x7d) depth--;
  }
  return null;
}

/** Offset of the first byte that is not valid UTF-8 (RFC 3629). Slow, for bodies that are known to be invalid. */
function findInvalidUtf8(bytes: Uint8Array): number {
  let at = 0;
  while (at < bytes.length) {
    const lead = bytes[at] ?? 0;
    const length = lead < 0x80 ? 1 : lead < 0xe0 ? 2 : lead < 0xf0 ? 3 : 4;
    if (length > 1 && (at + length > bytes.length || !isUtf8(bytes.subarray(at, at + length)))) return at;
    at += length;
  }
  return at;
}

/**
 * The JSON of a string that a person wrote, parsed exactly as the receiver parses a body. Throws AppError
 * `invalid_json` with line and column, or `body_too_large`.
 */
export function parseJsonText(text: string, maxBytes: number): Json {
  const bytes = Buffer.from(text);
  if (bytes.length > maxBytes)
    throw new AppError(
      "body_too_large",
      `The JSON has ${bytes.length} bytes; this service takes ${maxBytes} (maxBodyBytes in signalbox.config.ts).`,
    );
  return parseJsonBody(bytes);
}
