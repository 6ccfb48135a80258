import { isUtf8 } from "node:buffer";
import { AppError } from "../../contract/app-error.ts";
import type { Json } from "../../contract/json.ts";
import { charsetOf } from "./charset.ts";
import { findJsonError } from "../../shared/json/find-json-error.ts";
import { parseExactly, type ParsedJson } from "../json/parse-exactly.ts";

/** The body of a request: its memory, its bytes, its type and its JSON. */

/** The memory that request bodies may use, in total and per owner: a key or a person. */
export interface BodyBudget {
  /** The memory of one body. It counts until it is freed, after the response. */
  open(owner: string): BodyMemory;
}

export interface BodyMemory {
  /** Throws AppError `overloaded` if the budget is exhausted. */
  take(bytes: number): void;
  free(): void;
}

const noBytes = Buffer.alloc(0);
const minTotalBytes = 128 * 1024 * 1024;

/** 128 MiB, or eight bodies of the largest size; one owner has half. */
export function createBodyBudget(maxBodyBytes: number): BodyBudget {
  const maxTotal = Math.max(minTotalBytes, 8 * maxBodyBytes);
  const owners = new Map<string, number>();
  let total = 0;

  function add(owner: string, bytes: number): void {
    total += bytes;
    const used = (owners.get(owner) ?? 0) + bytes;
    if (used > 0) owners.set(owner, used);
    else owners.delete(owner);
  }

  return {
    open(owner) {
      let taken = 0;
      return {
        take(bytes) {
          if (total + bytes > maxTotal)
            throw new AppError(
              "overloaded",
              "Too many large requests are in progress. Send the request again in a few seconds.",
            );
          if ((owners.get(owner) ?? 0) + bytes > maxTotal / 2)
            throw new AppError(
              "overloaded",
              "Too many large requests with this key are in progress. Send the request again in a few seconds.",
            );
          taken += bytes;
          add(owner, bytes);
        },
        free() {
          add(owner, -taken);
          taken = 0;
        },
      };
    },
  };
}

/**
 * Collects a body. It grows with the received bytes, not with the declared length, and joins small chunks. In chunks of
 * one byte, a body needs hardly more memory than in a single chunk. A single chunk is not copied.
 */
export function createBodyBuffer(memory: BodyMemory): { add(chunk: Uint8Array): void; bytes(): Buffer<ArrayBuffer> } {
  let buffer: Buffer = noBytes;
  let length = 0;
  return {
    add(chunk) {
      if (length === 0) {
        memory.take(chunk.length);
        buffer = Buffer.isBuffer(chunk) ? chunk : Buffer.from(chunk.buffer, chunk.byteOffset, chunk.length);
        length = chunk.length;
        return;
      }
      const needed = length + chunk.length;
      if (needed > buffer.length) {
        const size = Math.max(needed, 2 * buffer.length);
        memory.take(size - buffer.length);
        const larger = Buffer.allocUnsafeSlow(size);
        buffer.copy(larger, 0, 0, length);
        buffer = larger;
      }
      buffer.set(chunk, length);
      length = needed;
    },
    bytes: () => (length === buffer.length ? buffer : buffer.subarray(0, length)) as Buffer<ArrayBuffer>,
  };
}

/**
 * The whole body of a request. Throws AppError `body_too_large` as soon as the limit is exceeded, `overloaded` if
 * `memory` is exhausted, or `incomplete_body`.
 */
export async function readWithin(request: Request, maxBytes: number, memory: BodyMemory): Promise<Buffer<ArrayBuffer>> {
  const tooLarge = () => new AppError("body_too_large", `The body is larger than ${maxBytes} bytes.`);
  if (Number(request.headers.get("content-length") ?? 0) > maxBytes) throw tooLarge();
  const body = createBodyBuffer(memory);
  let size = 0;
  try {
    for await (const chunk of request.body ?? []) {
      size += chunk.length;
      if (size > maxBytes) throw tooLarge();
      body.add(chunk);
    }
  } catch (cause) {
    if (cause instanceof AppError) throw cause;
    throw new AppError("incomplete_body", "The connection closed before the whole body was received.", { cause });
  }
  return body.bytes();
}

/**
 * Throws AppError `unsupported_media_type` unless a body is plain JSON: `application/json` or any type that ends in
 * `+json`, in UTF-8, not compressed.
 */
export function requireJsonType(headers: Headers): void {
  const type = headers.get("content-type") ?? "";
  const isJson = /^(application\/json|[\w!#$&^.+-]+\/[\w!#$&^.+-]+\+json)\s*(;|$)/i.test(type);
  const charset = charsetOf(type);
  const encoding = headers.get("content-encoding")?.trim().toLowerCase() || "identity";
  if (isJson && (charset === undefined || charset === "utf-8" || charset === "us-ascii") && encoding === "identity")
    return;
  throw new AppError(
    "unsupported_media_type",
    `Send Content-Type: application/json, in UTF-8 and not compressed${type ? `; the request has ${JSON.stringify(type)}` : ""}.`,
  );
}

/** Zod and JSON.stringify recurse, JSON.parse does not: deeper nesting would overflow the stack later. */
export const maxDepth = 512;

const utf8 = new TextDecoder("utf-8", { fatal: true });

/**
 * Parses the JSON of a body: UTF-8 with or without byte order mark, at most 512 levels deep. `bigints: "string"` keeps
 * numbers that JavaScript cannot hold as strings. Throws AppError `invalid_json` with line and column (both from 1,
 * columns in characters), or `invalid_body` with the path of a number that is too large. Errors never contain a part of
 * the body.
 */
export function parseJsonBody(
  bytes: Uint8Array,
  { bigints = "number" }: { bigints?: "number" | "string" } = {},
): ParsedJson {
  const text = decode(bytes);
  if (text.trim() === "") throw new AppError("invalid_json", "The body is empty. Send JSON.");
  const tooDeepAt = hasMoreBrackets(text, maxDepth) ? findDepthOver(bytes, maxDepth) : null;
  if (tooDeepAt !== null)
    throw invalid(textBefore(bytes, tooDeepAt), `the body is nested deeper than ${maxDepth} levels`);
  try {
    return parseExactly(text, bigints);
  } catch (cause) {
    if (cause instanceof AppError) throw cause;
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

/** Whether a JSON text is nested deeper than a body may be. */
export function isTooDeep(json: string): boolean {
  return hasMoreBrackets(json, maxDepth) && findDepthOver(Buffer.from(json), maxDepth) !== null;
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
export function parseJsonText(text: string, maxBytes: number, bigints: "number" | "string" = "number"): Json {
  const bytes = Buffer.from(text);
  if (bytes.length > maxBytes)
    throw new AppError(
      "body_too_large",
      `The JSON has ${bytes.length} bytes; this service takes ${maxBytes} (maxBodyBytes in signalbox.config.ts).`,
    );
  return parseJsonBody(bytes, { bigints }).json;
}
