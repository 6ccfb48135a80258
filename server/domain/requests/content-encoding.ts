import { createBrotliDecompress, createGunzip, createInflate, createInflateRaw } from "node:zlib";
import { AppError } from "../../contract/app-error.ts";
import { ownHeaders } from "../../contract/own-headers.ts";
import { type BodyMemory, createBodyBuffer } from "./request-body.ts";

/** Compressed bodies. zstd is missing: the zlib of Node 22 takes a stream that is cut off for a complete one. */

type Encoding = "gzip" | "deflate" | "br";

/** For the header `Accept-Encoding` of a response. */
export const acceptedEncodings = "gzip, deflate, br";

const names: Readonly<Record<string, Encoding | null>> = {
  "": null,
  identity: null,
  gzip: "gzip",
  "x-gzip": "gzip",
  deflate: "deflate",
  br: "br",
};

/** More of them have no use, and cost time. */
const maxEncodings = 3;

/** The encodings of a Content-Encoding, the last one first. Returns AppError `unsupported_media_type`. */
export function readEncodings(header: string | undefined): readonly Encoding[] | AppError {
  if (header === undefined) return [];
  const encodings: Encoding[] = [];
  for (const each of header.split(",")) {
    const name = each.trim().toLowerCase();
    const encoding = Object.hasOwn(names, name) ? names[name] : undefined;
    if (encoding === undefined || encodings.length === maxEncodings)
      return new AppError(
        "unsupported_media_type",
        `The Content-Encoding is not supported. Send ${acceptedEncodings.replace(/, (?=\w+$)/, " or ")}, or turn off compression in the sender.`,
      );
    if (encoding) encodings.unshift(encoding);
  }
  return encodings;
}

/**
 * The bytes without their encodings. Runs outside of the event loop's thread, and counts the bytes as they are
 * decompressed. Throws AppError `body_too_large`, `overloaded`, or `invalid_body` for bytes that are damaged or cut
 * off.
 */
export async function decodeContent(
  bytes: Uint8Array<ArrayBuffer>,
  encodings: readonly Encoding[],
  p: { maxBytes: number; memory?: BodyMemory },
): Promise<Uint8Array<ArrayBuffer>> {
  let content = bytes;
  // Some senders name an encoding even if the body is empty.
  for (const encoding of content.length === 0 ? [] : encodings) content = await decompress(content, encoding, p);
  return content;
}

async function decompress(
  bytes: Uint8Array<ArrayBuffer>,
  encoding: Encoding,
  { maxBytes, memory = unlimited }: { maxBytes: number; memory?: BodyMemory },
): Promise<Uint8Array<ArrayBuffer>> {
  const stream = createDecoder(encoding, bytes);
  const content = createBodyBuffer(memory);
  let size = 0;
  try {
    stream.end(bytes);
    for await (const chunk of stream as AsyncIterable<Buffer>) {
      size += chunk.length;
      if (size > maxBytes)
        throw new AppError("body_too_large", `The decompressed body is larger than the limit of ${maxBytes} bytes.`);
      content.add(chunk);
    }
  } catch (cause) {
    if (cause instanceof AppError) throw cause;
    throw invalid(encoding, cause);
  }
  if (stream.bytesWritten < bytes.length) throw invalid(encoding, null);
  return content.bytes();
}

/** The headers of a recorded delivery whose body is stored without its encoding. */
export function withoutEncoding({ "content-encoding": encoding, ...others }: Record<string, string>) {
  return encoding === undefined ? others : { ...others, [ownHeaders.contentEncoding]: encoding };
}

const unlimited: BodyMemory = { take() {}, free() {} };

function createDecoder(encoding: Encoding, bytes: Uint8Array) {
  if (encoding === "gzip") return createGunzip();
  if (encoding === "br") return createBrotliDecompress();
  // Some senders leave out the header of zlib.
  const [first = 0, second = 0] = bytes;
  const hasHeader = (first & 0x0f) === 8 && (first * 256 + second) % 31 === 0;
  return hasHeader ? createInflate() : createInflateRaw();
}

function invalid(encoding: Encoding, cause: unknown): AppError {
  return new AppError(
    "invalid_body",
    `The body is not valid ${encoding}, its Content-Encoding: it is damaged or cut off.`,
    {
      cause,
    },
  );
}
