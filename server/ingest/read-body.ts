import { AppError } from "../contract/app-error.ts";
import type { IngestRequest } from "./ingest-request.ts";

/**
 * The whole body, no longer than the limit. `onBytes` is told how many bytes have come. Throws AppError `body_too_large` as soon as the
 * limit is passed, at once where the declared length passes it, `incomplete_body` when the sender goes away, or
 * what the door says of a body that comes too slowly.
 */
export async function readBody(
  request: IngestRequest,
  p: { declaredBytes: number | null; maxBodyBytes: number; onBytes: (received: number) => void },
): Promise<Uint8Array> {
  if (p.declaredBytes !== null && p.declaredBytes > p.maxBodyBytes) throw tooLarge(p.maxBodyBytes);
  const chunks: Uint8Array[] = [];
  let received = 0;
  try {
    await request.readBody((chunk) => {
      received += chunk.length;
      chunks.push(chunk);
      return received <= p.maxBodyBytes;
    });
  } catch (cause) {
    if (cause instanceof AppError) throw cause;
    throw new AppError("incomplete_body", "The connection ended before the whole body had come.", { cause });
  } finally {
    p.onBytes(received);
  }
  if (received > p.maxBodyBytes) throw tooLarge(p.maxBodyBytes);
  const [only] = chunks;
  return only && chunks.length === 1 ? only : Buffer.concat(chunks, received);
}

function tooLarge(maxBodyBytes: number): AppError {
  return new AppError("body_too_large", `The body is over the limit of ${maxBodyBytes} bytes.`);
}
