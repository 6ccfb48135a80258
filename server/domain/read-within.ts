import { AppError } from "../contract/app-error.ts";
import { type BodyMemory, createBodyBuffer } from "./body-budget.ts";

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
