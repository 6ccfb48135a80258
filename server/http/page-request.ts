import type { IncomingMessage } from "node:http";
import { AppError } from "../contract/app-error.ts";

/** Pages are read; what they post are small forms. */
const pageMethods = new Set(["GET", "HEAD", "POST"]);
const maxFormBytes = 64 * 1024;

/** Why a request is not handed to the pages, or `null`. Next would keep a body of any size in memory, whoever sends it. */
export function refusePageRequest({ method, headers }: IncomingMessage): AppError | null {
  if (!pageMethods.has(method ?? "")) return new AppError("method_not_allowed", "This method is not allowed here.");
  if (headers["transfer-encoding"] !== undefined) return new AppError("body_too_large", "Pages take bodies with a Content-Length only.");
  if (Number(headers["content-length"] ?? 0) > maxFormBytes) return new AppError("body_too_large", `Pages take bodies of ${maxFormBytes} bytes at most.`);
  return null;
}
