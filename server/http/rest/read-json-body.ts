import type { MiddlewareHandler } from "hono";
import { AppError } from "../../contract/app-error.ts";
import { parseJsonBody } from "../../domain/json-body.ts";
import type { RestEnv } from "./rest-deps.ts";

/**
 * Reads the body of a request within the limit, and refuses what is not plain JSON, before a route's schema sees it. An empty body
 * counts as none, whatever its Content-Type says.
 */
export const readJsonBody: MiddlewareHandler<RestEnv> = async (c, next) => {
  const { raw } = c.req;
  if (raw.body === null || raw.method === "GET" || raw.method === "HEAD") return next();
  const bytes = await readWithin(raw, c.env.maxBodyBytes);
  const headers = new Headers(raw.headers);
  if (bytes.length === 0) {
    headers.delete("content-type");
    c.req.raw = new Request(raw.url, { method: raw.method, headers, signal: raw.signal });
    return next();
  }
  checkMediaType(raw.headers);
  const json = parseJsonBody(bytes);
  // One spelling for the validators behind: they know application/json, and not every */*+json.
  headers.set("content-type", "application/json");
  c.req.raw = new Request(raw.url, { method: raw.method, headers, body: JSON.stringify(json), signal: raw.signal });
  return next();
};

/** For routes that cannot do without a body. */
export const requireBody: MiddlewareHandler<RestEnv> = async (c, next) => {
  if (c.req.raw.body === null) throw new AppError("invalid_json", "The body is empty. Send JSON.");
  return next();
};

async function readWithin(request: Request, maxBytes: number): Promise<Buffer> {
  const tooLarge = () => new AppError("body_too_large", `The body is over ${maxBytes} bytes.`);
  if (Number(request.headers.get("content-length") ?? 0) > maxBytes) throw tooLarge();
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of request.body ?? []) {
    size += chunk.length;
    if (size > maxBytes) throw tooLarge();
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

function checkMediaType(headers: Headers): void {
  const type = headers.get("content-type") ?? "";
  const isJson = /^(application\/json|[\w!#$&^.+-]+\/[\w!#$&^.+-]+\+json)\s*(;|$)/i.test(type);
  const charset = /;\s*charset\s*=\s*"?([^";\s]+)/i.exec(type)?.[1];
  const encoding = headers.get("content-encoding") ?? "identity";
  if (isJson && (charset === undefined || /^utf-?8$/i.test(charset)) && encoding === "identity") return;
  throw new AppError("unsupported_media_type", `Send Content-Type: application/json, in UTF-8 and not compressed${type ? `; this was ${JSON.stringify(type)}` : ""}.`);
}
