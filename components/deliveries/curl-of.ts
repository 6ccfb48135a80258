import type { Delivery } from "../../server/contract/delivery.ts";
import { readBody } from "./read-body.ts";

/** One argument of a program is at most 128 KiB long on Linux; what the shell pipes itself may be longer. */
const mostInArgument = 100_000;

/** Set by curl itself, of the connection, or not to be told. */
const leftOut = /^(?:host|connection|keep-alive|transfer-encoding|te|trailer|upgrade|expect|content-length|accept-encoding|content-encoding|signalbox-.*|sec-.*|x-forwarded-.*|x-real-ip|forwarded|via)$/;

/**
 * A command for any POSIX shell that sends a delivery again: the same method and headers (without those that were redacted), and its body byte
 * for byte. `url` is where it goes. Nothing in the delivery can be taken for a command.
 */
export function curlOf(delivery: Pick<Delivery, "method" | "headers" | "body">, url: string): string {
  const body = readBody(delivery.body);
  const headers = Object.entries(delivery.headers).filter(([name, value]) => !leftOut.test(name) && !value.includes("[redacted]"));
  const parts = [
    `curl -i ${quote(url)}`,
    ...(delivery.method === (body ? "POST" : "GET") ? [] : [`-X ${quote(delivery.method)}`]),
    // curl takes `name:` for "leave it out", and `name;` for an empty one.
    ...headers.map(([name, value]) => `-H ${quote(value === "" ? `${name};` : `${name}: ${value}`)}`),
  ];
  if (!body) return join(parts);
  if (body.text === null || hasControls(body.text)) return `printf %s ${quote(delivery.body ?? "")} | base64 -d | ${join([...parts, "--data-binary @-"])}`;
  if (body.bytes.length > mostInArgument) return `printf %s ${quote(body.text)} | ${join([...parts, "--data-binary @-"])}`;
  return join([...parts, `--data-raw ${quote(body.text)}`]);
}

/** In single quotes nothing means anything to a shell, but the quote itself. */
function quote(text: string): string {
  return `'${text.replaceAll("'", String.raw`'\''`)}'`;
}

/** A terminal acts on control characters when they are pasted, and a shell's arguments cannot have NUL. */
function hasControls(text: string): boolean {
  return /(?![\t\n])[\p{Cc}\p{Zl}\p{Zp}\u202A-\u202E\u2066-\u2069\uFEFF]/u.test(text);
}

function join(parts: readonly string[]): string {
  return parts.join(" \\\n  ");
}

/** The path of an endpoint, as one that was never defined may hold anything. */
export function endpointPath(endpoint: string): string {
  return `/triggers/${endpoint.split("/").map(encodeURIComponent).join("/")}`;
}
