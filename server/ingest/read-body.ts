import { AppError } from "../contract/app-error.ts";
import { type BodyMemory, createBodyBuffer } from "../domain/requests/request-body.ts";
import type { HeaderMap, IngestRequest, Rejected, RequestHead } from "./ingest-request.ts";

type BodyRead = { kind: "read"; bytes: Uint8Array } | RejectedBody;

interface RejectedBody extends Rejected {
  /** `null`: reading did not begin. */
  receivedBytes: number | null;
}

/**
 * The whole body, no longer than the limit. Rejected with AppError `unsupported_media_type` before reading;
 * `body_too_large` as soon as the limit is exceeded, immediately if the declared length exceeds it; `overloaded` if
 * `memory` is exhausted; `incomplete_body` if the sender disconnects; or the error of the HTTP server for a body that
 * is too slow.
 */
export function readBody(
  request: IngestRequest,
  { headers, declaredBytes }: Pick<RequestHead, "headers" | "declaredBytes">,
  { maxBodyBytes, memory }: { maxBodyBytes: number; memory: BodyMemory },
): BodyRead | Promise<BodyRead> {
  const unsupported = checkContentType(headers);
  if (unsupported) return { kind: "rejected", error: unsupported, receivedBytes: null };
  if (declaredBytes !== null && declaredBytes > maxBodyBytes)
    return { kind: "rejected", error: tooLarge(maxBodyBytes), receivedBytes: null };
  const body = createBodyBuffer(memory);
  let receivedBytes = 0;
  let failure: unknown = null;
  const reading = request.readBody((chunk) => {
    receivedBytes += chunk.length;
    if (receivedBytes > maxBodyBytes) return false;
    try {
      body.add(chunk);
    } catch (error) {
      failure = error;
    }
    return failure === null;
  });
  const end = (): BodyRead => {
    if (receivedBytes > maxBodyBytes) return { kind: "rejected", error: tooLarge(maxBodyBytes), receivedBytes };
    if (failure !== null) return { kind: "rejected", error: failure, receivedBytes };
    return { kind: "read", bytes: body.bytes() };
  };
  if (!reading) return end();
  return reading.then(end, (cause: unknown): BodyRead => ({
    kind: "rejected",
    error: cause instanceof AppError ? cause : incomplete(cause),
    receivedBytes,
  }));
}

function tooLarge(maxBodyBytes: number): AppError {
  return new AppError("body_too_large", `The body is larger than the limit of ${maxBodyBytes} bytes.`);
}

function incomplete(cause: unknown): AppError {
  return new AppError("incomplete_body", "The connection closed before the whole body was received.", { cause });
}

const token = "[!#$%&'*+.^_`|~0-9a-z-]+";
const jsonType = new RegExp(`^(?:application/json|${token}/${token}\\+json)$`, "i");
const parameter = new RegExp(`;\\s*(${token})\\s*=\\s*("(?:[^"\\\\]|\\\\.)*"|[^\\s;]*)`, "gi");

/** Why the headers do not announce plain JSON in UTF-8; `null` if they do. */
function checkContentType(headers: HeaderMap): AppError | null {
  const contentType = headers.get("content-type");
  if (contentType === "application/json" && !headers.has("content-encoding")) return null;
  if (contentType === undefined) return unsupported("The request has no Content-Type. Send application/json.");
  const [type = ""] = contentType.split(";", 1);
  if (!jsonType.test(type.trim()))
    return unsupported("The Content-Type is not JSON. Send application/json, or a type that ends in +json.");
  for (const [, name = "", value = ""] of contentType.matchAll(parameter)) {
    const isOther = name.toLowerCase() === "charset" && !/^"?utf-?8"?$/i.test(value);
    if (isOther) return unsupported("The charset is not UTF-8. Send JSON in UTF-8.");
  }
  const encodings = headers.get("content-encoding")?.split(",") ?? [];
  return encodings.every((encoding) => ["identity", ""].includes(encoding.trim().toLowerCase()))
    ? null
    : unsupported("The body is compressed. Send it without Content-Encoding.");
}

function unsupported(detail: string): AppError {
  return new AppError("unsupported_media_type", detail);
}
