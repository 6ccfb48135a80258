import type { Delivery } from "../../server/contract/delivery.ts";
import { curlCommand } from "../curl/curl-command.ts";
import { readBody } from "./read-body.ts";

/** Headers that curl sets, that belong to the connection or a proxy, or that only Signalbox sets. */
const leftOut =
  /^(?:host|connection|keep-alive|transfer-encoding|te|trailer|upgrade|expect|content-length|accept-encoding|content-encoding|signalbox-.*|sec-.*|x-forwarded-.*|x-real-ip|forwarded|via)$/;

/**
 * A command that sends a delivery again to `url`: the same method, the same headers without redacted ones, and the same
 * body, byte for byte.
 */
export function deliveryCurl(delivery: Pick<Delivery, "method" | "headers" | "body">, url: string): string {
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

/** The path of an endpoint, encoded: the name of an unknown endpoint may contain any characters. */
export function endpointPath(endpoint: string): string {
  return `/triggers/${endpoint.split("/").map(encodeURIComponent).join("/")}`;
}
