import { AppError } from "../contract/app-error.ts";
import type { HeaderMap } from "./headers.ts";

const token = "[!#$%&'*+.^_`|~0-9a-z-]+";
const jsonType = new RegExp(`^(?:application/json|${token}/${token}\\+json)$`, "i");
const parameter = new RegExp(`;\\s*(${token})\\s*=\\s*("(?:[^"\\\\]|\\\\.)*"|[^\\s;]*)`, "gi");

/** Throws AppError `unsupported_media_type` unless the headers announce plain JSON in UTF-8. */
export function requireJson(headers: HeaderMap): void {
  const contentType = headers.get("content-type")?.join(", ");
  if (contentType === "application/json" && !headers.has("content-encoding")) return;
  if (contentType === undefined) throw refuse("The request has no Content-Type. Send application/json.");
  const [type = ""] = contentType.split(";", 1);
  if (!jsonType.test(type.trim()))
    throw refuse("The Content-Type is not JSON. Send application/json, or a type that ends in +json.");
  for (const [, name = "", value = ""] of contentType.matchAll(parameter)) {
    const isOther = name.toLowerCase() === "charset" && !/^"?utf-?8"?$/i.test(value);
    if (isOther) throw refuse("The charset is not UTF-8. Send JSON in UTF-8.");
  }
  const encodings = headers.get("content-encoding")?.flatMap((value) => value.split(",")) ?? [];
  if (encodings.some((encoding) => !["identity", ""].includes(encoding.trim().toLowerCase()))) {
    throw refuse("The body is compressed. Send it without Content-Encoding.");
  }
}

function refuse(detail: string): AppError {
  return new AppError("unsupported_media_type", detail);
}
