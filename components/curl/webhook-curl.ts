import type { BodyFormat, Methods } from "../../server/contract/project/endpoint.ts";
import { cleanQuery, joinQueries } from "../../server/shared/deliveries/query-text.ts";
import { encodeBody } from "../../server/shared/schema/encode-body.ts";
import { curlCommand, type CurlRequest } from "./curl-command.ts";

/** What a person sends to an endpoint: a body, written as JSON, headers, and a query as in a URL. */
export interface WrittenRequest extends Required<Pick<CurlRequest, "url" | "headers">> {
  query: string;
  text: string;
  /** Those of the endpoint. Default: JSON, by POST. */
  formats?: readonly BodyFormat[];
  methods?: Methods;
}

/** The request as a sender would send it: a POST, or a GET with the body as the query. `body`: `null` for a GET. */
export function encodeRequest({ url, headers, query, text, formats = [], methods = [] }: WrittenRequest) {
  const [format] = formats;
  const encoded = format && encodeBody(format, text);
  if (methods.length > 0 && !methods.includes("POST")) {
    const parameters = typeof encoded?.body === "string" ? encoded.body : cleanQuery(text);
    return { method: "GET", url: withQuery(url, joinQueries(query, parameters)), headers, body: null } as const;
  }
  const { contentType, body } = encoded ?? { contentType: "application/json", body: text };
  return { method: "POST", url: withQuery(url, query), headers, contentType, body } as const;
}

/** A command that sends the request, in the first format and method that the endpoint accepts. */
export function webhookCurl(request: WrittenRequest): string {
  const { contentType, headers, ...sent } = { contentType: null, ...encodeRequest(request) };
  return curlCommand({
    ...sent,
    headers: { ...headers, ...(contentType !== null && { "Content-Type": contentType }) },
  });
}

/** The URL, which may have a query already, with more parameters. */
export function withQuery(url: string, query: string): string {
  return query === "" ? url : `${url}${url.includes("?") ? "&" : "?"}${query}`;
}
