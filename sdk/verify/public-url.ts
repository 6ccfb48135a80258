import type { SignatureFault, SignedRequest } from "../definition.ts";
import { fault } from "./verification.ts";

/** Reads the option `url`. Throws a TypeError if it is not an absolute URL. `null`: it is not set. */
export function readUrlOption(url: unknown, scheme: string): string | null {
  if (url === undefined || url === "") return null;
  if (typeof url === "string" && /^https?:\/\/[^\s/]/.test(url)) return url;
  // The URL may contain a key.
  throw new TypeError(
    `${scheme}: url must be the URL in the sender's settings, which begins with https://. Write url: process.env.WEBHOOK_URL, or leave it out.`,
  );
}

/** The URL that the sender signed: the option, or the public URL of the request. `null`: it is unknown. */
export function urlOf(request: Pick<SignedRequest, "url">, option: string | null): string | null {
  return option ?? request.url;
}

export function unknownUrl(scheme: string): SignatureFault {
  return fault(
    "malformed",
    `The signature covers the URL, which is unknown (${scheme}): the request has no Host header. Set baseUrl in signalbox.config.ts.`,
  );
}

/**
 * The usual causes of a signature that does not match, if it covers the URL. The query is left out: its values can be
 * sensitive.
 */
export function explainUrl(url: string | null): string {
  const [address, query] = (url ?? "").split("?", 2);
  return `It covers the URL, which is ${address}${query === undefined ? "" : "?… with the query of the request"} for this server. The sender's settings must have exactly this URL. Otherwise, set baseUrl or the option url, compare the secret, or look for a proxy that changes requests.`;
}
