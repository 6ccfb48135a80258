import { AppError } from "../../contract/app-error.ts";

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
  const charset = /;\s*charset\s*=\s*"?([^";\s]+)/i.exec(type)?.[1];
  const encoding = headers.get("content-encoding") ?? "identity";
  if (isJson && (charset === undefined || /^utf-?8$/i.test(charset)) && encoding === "identity") return;
  throw new AppError(
    "unsupported_media_type",
    `Send Content-Type: application/json, in UTF-8 and not compressed${type ? `; the request has ${JSON.stringify(type)}` : ""}.`,
  );
}
