import type { BodyFormat } from "../../server/contract/project/endpoint.ts";
import { encodeBody } from "../../server/domain/schema/encode-body.ts";
import { curlCommand, type CurlRequest } from "./curl-command.ts";

/** A command that sends a body, written as JSON, in the first format that an endpoint accepts. */
export function webhookCurl({
  text,
  formats,
  headers,
  ...request
}: Omit<CurlRequest, "body"> & { text: string; formats: readonly BodyFormat[] }): string {
  const [format] = formats;
  const { contentType, body } = (format && encodeBody(format, text)) ?? { contentType: "application/json", body: text };
  return curlCommand({ ...request, headers: { ...headers, "Content-Type": contentType }, body });
}
