import type { Json } from "../../server/contract/json.ts";

export type SnippetKind = "curl" | "fetch" | "github" | "stripe";

export interface SnippetRequest {
  /** Without a key. */
  url: string;
  /** `null`: none is needed. `"hidden"`: a placeholder takes its place. */
  key: string | null;
  example: Json;
}

/** Ready to paste: the request for a program, or the settings for a sender's page. */
export function snippetOf(kind: SnippetKind, request: SnippetRequest): string {
  return { curl: curlOf, fetch: fetchOf, github: githubOf, stripe: stripeOf }[kind](request);
}

/** What stands for the key as long as it is hidden. */
export const keyPlaceholder = "YOUR_KEY";

/** For a POSIX shell. */
export function curlOf({ url, key, example }: SnippetRequest): string {
  const header = key === null ? "" : ` \\\n  -H ${shellQuote(`Authorization: Bearer ${key}`)}`;
  return `curl -i ${shellQuote(url)}${header} \\\n  -H 'Content-Type: application/json' \\\n  -d ${shellQuote(JSON.stringify(example))}`;
}

function fetchOf({ url, key, example }: SnippetRequest): string {
  const header = key === null ? "" : `, authorization: ${JSON.stringify(`Bearer ${key}`)}`;
  const body = JSON.stringify(example, null, 2).replaceAll("\n", "\n  ").replaceAll("\u2028", String.raw`\u2028`).replaceAll("\u2029", String.raw`\u2029`);
  return `await fetch(${JSON.stringify(url)}, {
  method: "POST",
  headers: { "content-type": "application/json"${header} },
  body: JSON.stringify(${body}),
});`;
}

/** https://docs.github.com/en/webhooks/using-webhooks/creating-webhooks */
function githubOf(request: SnippetRequest): string {
  return `Repository → Settings → Webhooks → Add webhook

Payload URL   ${tokenUrl(request)}
Content type  application/json
Secret        leave empty${request.key === null ? "" : ": the key in the URL is the secret"}
SSL           Enable SSL verification`;
}

/** https://docs.stripe.com/webhooks */
function stripeOf(request: SnippetRequest): string {
  return `Developers → Webhooks → Add destination

Endpoint URL   ${tokenUrl(request)}
Payload style  Snapshot
Events         the types that the triggers below ask for

# or, from a terminal
stripe listen --forward-to ${shellQuote(tokenUrl(request))}`;
}

/** For senders that take only a URL. */
export function tokenUrl({ url, key }: Pick<SnippetRequest, "url" | "key">): string {
  return key === null ? url : `${url}?token=${encodeURIComponent(key)}`;
}

function shellQuote(text: string): string {
  return /^[\w./:@-]+$/.test(text) ? text : `'${text.replaceAll("'", String.raw`'\''`)}'`;
}
