import type { Delivery } from "../../server/contract/delivery.ts";
import { ownHeaders } from "../../server/contract/own-headers.ts";
import { splitQuery } from "../../server/shared/deliveries/query-text.ts";
import { curlCommand } from "../curl/curl-command.ts";
import { withQuery } from "../curl/webhook-curl.ts";
import { readBody } from "../json/read-body.ts";

const redacted = "[redacted]";

/** Headers that curl sets, that belong to the connection or a proxy, or that only Signalbox sets. */
const leftOut =
  /^(?:(?:host|connection|keep-alive|transfer-encoding|te|trailer|upgrade|expect|content-length)$|(?:accept-encoding|content-encoding|x-real-ip|forwarded|via)$|signalbox-|sec-|x-forwarded-)/;

/**
 * A command that sends a delivery again to `url`: the same method, the same headers and query without redacted values,
 * and the same body, byte for byte. The body of a GET is its query.
 */
export function deliveryCurl(delivery: Pick<Delivery, "method" | "headers" | "body">, url: string): string {
  const body = readBody(delivery.body);
  const isGet = delivery.method === "GET";
  const headers = Object.entries(delivery.headers).filter(
    ([name, value]) => !leftOut.test(name) && !(isGet && name === "content-type") && !value.includes(redacted),
  );
  const query = (isGet ? body?.text : null) ?? delivery.headers[ownHeaders.query] ?? "";
  const sent = splitQuery(query).filter(({ value }) => !value.includes(redacted));
  return curlCommand({
    url: withQuery(url, sent.map(({ pair }) => pair).join("&")),
    method: delivery.method,
    headers: Object.fromEntries(headers),
    body: isGet ? null : body && (body.text ?? body.bytes),
  });
}

/** The path of an endpoint, encoded: the name of an unknown endpoint may contain any characters. */
export function endpointPath(endpoint: string): string {
  return `/triggers/${endpoint.split("/").map(encodeURIComponent).join("/")}`;
}
