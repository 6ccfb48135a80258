import type { IncomingMessage } from "node:http";
import { AppError } from "../contract/app-error.ts";

const maxBodyBytes = 64 * 1024;

/**
 * Why a request is not passed to the pages, or `null`. Pages have no server actions: a POST never reaches Next, which
 * would decode it. Next's development server reports errors by POST. A body of any size would be kept in memory.
 */
export function rejectPageRequest(
  { method, url, headers }: Pick<IncomingMessage, "method" | "url" | "headers">,
  { isDevelopment }: { isDevelopment: boolean },
): AppError | null {
  const isReport = isDevelopment && method === "POST" && url?.startsWith("/__nextjs_");
  if (method !== "GET" && method !== "HEAD" && !isReport)
    return new AppError("method_not_allowed", "Pages accept GET and HEAD only.");
  if (headers["transfer-encoding"] !== undefined)
    return new AppError("body_too_large", "Pages accept only bodies with a Content-Length.");
  if (Number(headers["content-length"] ?? 0) > maxBodyBytes)
    return new AppError("body_too_large", `Pages accept bodies of at most ${maxBodyBytes} bytes.`);
  return null;
}
