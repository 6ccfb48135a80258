import { AppError } from "../contract/app-error.ts";
import { type BodyMemory, createBodyBuffer } from "../domain/body-budget.ts";
import type { IngestRequest } from "./ingest-request.ts";

/**
 * The whole body, no longer than the limit. `onBytes` receives the number of bytes. Throws AppError `body_too_large` as
 * soon as the limit is exceeded, immediately if the declared length exceeds it, `overloaded` if `memory` is exhausted,
 * `incomplete_body` if the sender disconnects, or the error of the HTTP server for a body that is too slow.
 */
export async function readBody(
  request: IngestRequest,
  p: { declaredBytes: number | null; maxBodyBytes: number; memory: BodyMemory; onBytes: (received: number) => void },
): Promise<Uint8Array> {
  if (p.declaredBytes !== null && p.declaredBytes > p.maxBodyBytes) throw tooLarge(p.maxBodyBytes);
  const body = createBodyBuffer(p.memory);
  let received = 0;
  let failure: unknown = null;
  try {
    await request.readBody((chunk) => {
      received += chunk.length;
      if (received > p.maxBodyBytes) return false;
      try {
        body.add(chunk);
      } catch (error) {
        failure = error;
      }
      return failure === null;
    });
  } catch (cause) {
    if (cause instanceof AppError) throw cause;
    throw new AppError("incomplete_body", "The connection closed before the whole body was received.", { cause });
  } finally {
    p.onBytes(received);
  }
  if (received > p.maxBodyBytes) throw tooLarge(p.maxBodyBytes);
  if (failure !== null) throw failure;
  return body.bytes();
}

function tooLarge(maxBodyBytes: number): AppError {
  return new AppError("body_too_large", `The body is larger than the limit of ${maxBodyBytes} bytes.`);
}
