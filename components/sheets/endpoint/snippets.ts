import type { Json } from "../../../server/contract/json.ts";
import type { BodyFormat } from "../../../server/contract/project/endpoint.ts";
import type { GivenHeaders } from "../../run-form/draft/header-texts.ts";
import { shellQuote } from "../../curl/curl-command.ts";
import { webhookCurl } from "../../curl/webhook-curl.ts";
import { encodeBody } from "../../../server/domain/schema/encode-body.ts";

export type SenderKind = "github" | "stripe";

export interface SnippetRequest {
  /** Without a key. */
  url: string;
  /** `null`: the endpoint needs no key. */
  key: string | null;
  /** Those that the trigger requires. */
  headers?: GivenHeaders;
  /** The formats of the endpoint. Default: JSON. */
  formats?: readonly BodyFormat[];
  example: Json;
}

/** The URL with the key as the password of the user `hook`. */
export function urlWithCredentials(url: string, key: string): string {
  return url.replace("://", `://hook:${key}@`);
}

/** Placeholder for a hidden key. */
export const keyPlaceholder = "YOUR_KEY";

export function curlOf({ url, key, headers, formats = [], example }: SnippetRequest): string {
  return webhookCurl({
    url,
    formats,
    text: JSON.stringify(example),
    headers: { ...headers, ...(key !== null && { Authorization: `Bearer ${key}` }) },
  });
}

/** The request as a snippet of a program. */
export function fetchOf({ url, key, headers = {}, formats = [], example }: SnippetRequest): string {
  const all = { ...headers, ...(key !== null && { authorization: `Bearer ${key}` }) };
  const more = Object.entries(all)
    .map(
      ([name, value]) =>
        `, ${/^\w+$/.test(name) ? name : JSON.stringify(name)}: ${JSON.stringify([value].flat().join(", "))}`,
    )
    .join("");
  const body = JSON.stringify(example, null, 2)
    .replaceAll("\n", "\n  ")
    .replaceAll("\u2028", String.raw`\u2028`)
    .replaceAll("\u2029", String.raw`\u2029`);
  const [format] = formats;
  const isJson = format === undefined || format.type === "json";
  const encoded = isJson ? null : encodeBody(format, JSON.stringify(example));
  const isText = typeof encoded?.body === "string";
  const contentType = isText ? encoded.contentType : "application/json";
  const code = isText ? JSON.stringify(encoded.body) : `JSON.stringify(${body})`;
  return `await fetch(${JSON.stringify(url)}, {
  method: "POST",
  headers: { "content-type": ${JSON.stringify(contentType)}${more} },
  body: ${code},
});`;
}

export interface SenderSettings {
  /** The path of the page in the sender's settings. */
  path: string;
  /** The fields to fill in. */
  fields: { name: string; value: string; isLiteral: boolean }[];
}

/** The settings to enter at a sender. `verify`: the signature scheme of the endpoint. */
export function settingsOf(
  kind: SenderKind,
  request: Pick<SnippetRequest, "url" | "key"> & { verify: string | null },
): SenderSettings {
  const url = tokenUrl(request);
  return kind === "github" ? githubSettings(url, request.verify) : stripeSettings(url, request.verify);
}

/** https://docs.github.com/en/webhooks/using-webhooks/creating-webhooks */
function githubSettings(url: string, verify: string | null): SenderSettings {
  return {
    path: "Repository → Settings → Webhooks → Add webhook",
    fields: [
      { name: "Payload URL", value: url, isLiteral: true },
      { name: "Content type", value: "application/json", isLiteral: true },
      {
        name: "Secret",
        value:
          verify === "github" ? "the secret that your project passes to verify" : "leave empty: the key is in the URL",
        isLiteral: false,
      },
      { name: "Events", value: "the event types that your triggers match", isLiteral: false },
    ],
  };
}

/** https://docs.stripe.com/webhooks, https://docs.stripe.com/stripe-cli */
function stripeSettings(url: string, verify: string | null): SenderSettings {
  return {
    path: "Workbench → Webhooks → Add destination → Webhook endpoint",
    fields: [
      { name: "Endpoint URL", value: url, isLiteral: true },
      { name: "Payload style", value: "Snapshot", isLiteral: false },
      { name: "Events", value: "the event types that your triggers match", isLiteral: false },
      ...(verify === "stripe"
        ? [
            {
              name: "Signing secret",
              value: "pass it to verify in your project",
              isLiteral: false,
            },
          ]
        : []),
      { name: "Local testing", value: `stripe listen --forward-to ${shellQuote(url)}`, isLiteral: true },
    ],
  };
}

/** For senders that accept only a URL. */
export function tokenUrl({ url, key }: Pick<SnippetRequest, "url" | "key">): string {
  return key === null ? url : `${url}?token=${encodeURIComponent(key)}`;
}
