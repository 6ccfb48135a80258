import { Buffer } from "node:buffer";
import type { SignedRequest } from "../definition.ts";

/** The body as a JSON object; an empty object for any other body. */
export function readJsonObject(body: Uint8Array): Readonly<Record<string, unknown>> {
  try {
    const json: unknown = JSON.parse(new TextDecoder().decode(body));
    return isRecord(json) ? json : {};
  } catch {
    return {};
  }
}

export function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** The media type of the body, in lower case, without parameters. */
export function mediaTypeOf({ header }: Pick<SignedRequest, "header">): string {
  return (header("content-type") ?? "").split(";", 1)[0]?.trim().toLowerCase() ?? "";
}

/**
 * The names and values of `application/x-www-form-urlencoded`, decoded to bytes: each character is one byte. So bytes
 * that are no UTF-8 stay different.
 */
export function readFormPairs(body: Uint8Array): [name: string, value: string][] {
  const text = Buffer.from(body).toString("latin1");
  return text
    .split("&")
    .filter((pair) => pair !== "")
    .map((pair) => {
      const end = pair.indexOf("=");
      return end < 0 ? [decode(pair), ""] : [decode(pair.slice(0, end)), decode(pair.slice(end + 1))];
    });
}

function decode(text: string): string {
  return text
    .replaceAll("+", " ")
    .replaceAll(/%([0-9a-f]{2})/gi, (_, digits: string) => String.fromCharCode(Number.parseInt(digits, 16)));
}

/** The same of `multipart/form-data` (RFC 7578), without its files. Empty if the body has no such parts. */
export function readMultipartPairs({ body, header }: Pick<SignedRequest, "body" | "header">): [string, string][] {
  const boundary = /;\s*boundary=(?:"([^"]{1,70})"|([^\s;"]{1,70}))/i.exec(header("content-type") ?? "");
  const delimiter = boundary && `\r\n--${boundary[1] ?? boundary[2]}`;
  if (!delimiter) return [];
  // The first delimiter needs no line break before it.
  const parts = `\r\n${Buffer.from(body).toString("latin1")}`.split(delimiter).slice(1);
  return parts.flatMap((part): [string, string][] => {
    const end = part.indexOf("\r\n\r\n");
    const head = end < 0 ? "" : part.slice(0, end);
    const name = /^content-disposition:\s*form-data;[^\r\n]*?\bname="([^"\r\n]*)"/im.exec(head)?.[1];
    return name === undefined || /\bfilename\*?=/i.test(head) ? [] : [[name, part.slice(end + 4)]];
  });
}
