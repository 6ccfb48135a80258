import type { Json } from "../../../server/contract/json.ts";
import { joinQueries } from "../../../server/shared/deliveries/query-text.ts";
import { shellQuote } from "../../curl/curl-command.ts";
import { encodeRequest, webhookCurl, withQuery, type WrittenRequest } from "../../curl/webhook-curl.ts";

export type SenderKind = "github" | "stripe";

/** `url`: without a key. `headers` and `query`: those that the trigger requires. */
export interface SnippetRequest extends Omit<WrittenRequest, "text"> {
  /** `null`: the endpoint needs no key. */
  key: string | null;
  example: Json;
}

/** The URL with the key as the password of the user `hook`. */
export function urlWithCredentials(url: string, key: string): string {
  return url.replace("://", `://hook:${key}@`);
}

/** Placeholder for a hidden key. */
export const keyPlaceholder = "YOUR_KEY";

export function curlOf({ key, headers, example, ...request }: SnippetRequest): string {
  return webhookCurl({
    ...request,
    text: JSON.stringify(example),
    headers: { ...headers, ...(key !== null && { Authorization: `Bearer ${key}` }) },
  });
}

/** The request as a snippet of a program. */
export function fetchOf({ key, example, ...request }: SnippetRequest): string {
  const { formats: [format] = [] } = request;
  const sent = encodeRequest({ ...request, text: JSON.stringify(example) });
  const isText = format !== undefined && format.type !== "json" && typeof sent.body === "string";
  const headers = {
    ...(sent.method === "POST" && { "content-type": isText ? sent.contentType : "application/json" }),
    ...sent.headers,
    ...(key !== null && { authorization: `Bearer ${key}` }),
  };
  const lines = [
    ...(sent.method === "POST" ? ['method: "POST"'] : []),
    ...(Object.keys(headers).length > 0 ? [`headers: { ${printMembers(headers)} }`] : []),
    ...(sent.method === "POST"
      ? [`body: ${isText ? JSON.stringify(sent.body) : `JSON.stringify(${printJson(example)})`}`]
      : []),
  ];
  const url = JSON.stringify(sent.url);
  return lines.length === 0
    ? `await fetch(${url});`
    : `await fetch(${url}, {\n${lines.map((line) => `  ${line},\n`).join("")}});`;
}

function printMembers(headers: Readonly<Record<string, string | readonly string[]>>): string {
  return Object.entries(headers)
    .map(
      ([name, value]) =>
        `${/^\w+$/.test(name) ? name : JSON.stringify(name)}: ${JSON.stringify([value].flat().join(", "))}`,
    )
    .join(", ");
}

function printJson(example: Json): string {
  return JSON.stringify(example, null, 2)
    .replaceAll("\n", "\n  ")
    .replaceAll("\u2028", String.raw`\u2028`)
    .replaceAll("\u2029", String.raw`\u2029`);
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
  request: Pick<SnippetRequest, "url" | "query" | "key"> & { verify: string | null },
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
export function tokenUrl({ url, query, key }: Pick<SnippetRequest, "url" | "query" | "key">): string {
  return withQuery(url, joinQueries(key === null ? "" : `token=${encodeURIComponent(key)}`, query));
}
