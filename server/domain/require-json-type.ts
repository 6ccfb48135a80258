import { AppError } from "../contract/app-error.ts";

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
