import type { Delivery } from "../../server/contract/delivery.ts";
import { curlCommand } from "../curl/curl-command.ts";
import { readBody } from "./read-body.ts";

/** Set by curl itself, of the connection, or not to be told. */
const leftOut =
  /^(?:host|connection|keep-alive|transfer-encoding|te|trailer|upgrade|expect|content-length|accept-encoding|content-encoding|signalbox-.*|sec-.*|x-forwarded-.*|x-real-ip|forwarded|via)$/;

/**
 * A command that sends a delivery again: the same method and headers (without those that were redacted), and its body
 * byte for byte. `url` is where it goes.
 */
export function curlOf(delivery: Pick<Delivery, "method" | "headers" | "body">, url: string): string {
  const body = readBody(delivery.body);
  const headers = Object.entries(delivery.headers).filter(
    ([name, value]) => !leftOut.test(name) && !value.includes("[redacted]"),
  );
  return curlCommand({
    url,
    method: delivery.method,
    headers: Object.fromEntries(headers),
    body: body && (body.text ?? body.bytes),
  });
}

/** The path of an endpoint, as one that was never defined may hold anything. */
export function endpointPath(endpoint: string): string {
  return `/triggers/${endpoint.split("/").map(encodeURIComponent).join("/")}`;
}
