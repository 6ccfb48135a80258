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
