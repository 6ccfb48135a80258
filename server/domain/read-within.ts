import { AppError } from "../contract/app-error.ts";

/** The whole body of a request. Throws AppError `body_too_large` as soon as the limit is passed, or `incomplete_body`. */
export async function readWithin(request: Request, maxBytes: number): Promise<Buffer<ArrayBuffer>> {
  const tooLarge = () => new AppError("body_too_large", `The body is over ${maxBytes} bytes.`);
  if (Number(request.headers.get("content-length") ?? 0) > maxBytes) throw tooLarge();
  const chunks: Uint8Array[] = [];
  let size = 0;
  try {
    for await (const chunk of request.body ?? []) {
      size += chunk.length;
      if (size > maxBytes) throw tooLarge();
      chunks.push(chunk);
    }
  } catch (cause) {
    if (cause instanceof AppError) throw cause;
    throw new AppError("incomplete_body", "The connection ended before the whole body had come.", { cause });
  }
  return Buffer.concat(chunks);
}
