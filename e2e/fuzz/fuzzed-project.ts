import { createHmac } from "node:crypto";
import examples from "@octokit/webhooks-examples" with { type: "json" };
import type { Draw } from "./draw.ts";
import { type FuzzRequest, type FuzzRoute, type FuzzValues, jsonRequest, newRequest, proxyHeader } from "./request.ts";

/** The secret with which the project checks signatures of GitHub. */
export const signingSecret = "fuzz-signing-secret-0815";
/** The endpoint of the honest sender. */
export const honestEndpoint = "honest";

const note = `import { defineWorkflow } from "signalbox/workflow";
import { z } from "zod";
export default defineWorkflow({ slug: "note", input: z.any(), run: (input) => input });
`;
const admit = `import { defineWorkflow } from "signalbox/workflow";
import { z } from "zod";
export default defineWorkflow({
  slug: "admit",
  input: z.object({ to: z.string() }),
  retries: { attempts: 1 },
  async run({ to }, ctx) {
    ctx.log.info("admitting " + to, { to });
    const sent = await ctx.step("greet", async () => ({ to, text: "Dear " + to }));
    if (to.length % 2 === 0) throw new Error("no bed for " + to);
    return sent;
  },
});
`;

const sources: Record<string, string> = {
  [honestEndpoint]: `request: z.object({ name: z.string() })`,
  signup: `request: z.strictObject({ name: z.string(), age: z.int().optional(), tags: z.array(z.string().regex(/^[a-z]+$/)).optional() }), filter: z.object({ name: z.string().min(2) }), headers: z.object({ "x-kind": z.string().optional() }), query: z.object({ shop: z.string().optional() })`,
  orders: `body: "form", request: z.object({ order: z.string(), total: z.string().regex(/^\\d+$/), item: z.union([z.string(), z.array(z.string())]).optional() })`,
  payload: `body: { type: "form", field: "payload" }, request: z.object({ id: z.string() })`,
  upload: `body: "multipart", request: z.object({ title: z.string(), file: z.any() })`,
  notes: `body: "text", request: z.string()`,
  raw: `body: "bytes", request: z.string()`,
  large: `bigints: "string", onMismatch: "hold", dedupe: { field: "/id" }, request: z.object({ id: z.union([z.int(), z.string()]), items: z.array(z.object({ sku: z.string(), price: z.number() })) })`,
  check: `methods: ["GET", "POST"], challenge: ["dropbox", { if: { field: "/type", is: "check" }, echo: { field: "/code" }, as: { field: "reply" } }], request: z.record(z.string(), z.any())`,
  github: `verify: github({ secret: "${signingSecret}" }), onMismatch: "skip", request: z.looseObject({ action: z.string().optional(), sender: z.looseObject({ login: z.string() }).optional() })`,
};

const keys: Record<string, string> = {
  signup: `[{ field: "/name" }, { header: "x-kind" }]`,
  large: `{ field: "/id" }`,
  github: `{ field: "sender.login" }`,
};

/** The files of the fuzzed project: each format of a body, signatures, conditions, keys, sensitive fields. */
export const fuzzedProject: Readonly<Record<string, string>> = {
  "workflows/note.ts": note,
  "workflows/admit.ts": admit,
  ...Object.fromEntries(
    Object.entries(sources).map(([slug, fields]) => [
      `triggers/${slug}.ts`,
      trigger(`slug: "${slug}", endpoint: "${slug}", ${fields}`, "note", slug in keys ? `, key: ${keys[slug]}` : ""),
    ]),
  ),
  "triggers/github-opened.ts": trigger(
    `slug: "github-opened", endpoint: "github", verify: github({ secret: "${signingSecret}" }), onMismatch: "skip", request: z.looseObject({ action: z.literal("opened") })`,
    "note",
    "",
  ),
  // All of a body is sensitive, so that no change of it makes a value less so.
  "triggers/vault.ts": trigger(
    `slug: "vault", endpoint: "vault", request: z.object({ id: z.string(), name: z.string(), card: z.object({ number: z.string() }).optional(), visitors: z.record(z.string(), z.int()).optional() }).meta({ sensitive: true })`,
    "admit",
    ", transform: ({ name }) => ({ to: name })",
  ),
};

function trigger(source: string, workflow: string, attach: string): string {
  return `import { defineWebhookSource } from "signalbox/trigger";
${source.includes("github(") ? 'import { github } from "signalbox/verify";\n' : ""}import { z } from "zod";
import workflow from "../workflows/${workflow}";
export default defineWebhookSource({ ${source} }).attach({ workflow${attach} });
`;
}

const payloads = examples.flatMap(({ name, examples: ofKind }) =>
  (ofKind as unknown[]).map((payload) => ({ event: name, payload })),
);

/** Every endpoint of the project, with the requests of its senders. */
export const webhookRoutes: readonly FuzzRoute[] = [
  route("signup", (draw, head) => jsonRequest(head, { name: "Ada", age: 36, tags: ["a", "b"] })),
  route("orders", (draw, head) => formRequest(head, `order=${draw.between(0, 1e6)}&total=12&item=a&item=b%20c`)),
  route("payload", (draw, head) => {
    const request = formRequest(head, "");
    const put = (text: string) =>
      void (request.body = Buffer.from(`payload=${encodeURIComponent(text.toWellFormed())}`));
    const text = JSON.stringify({ id: String(draw.between(0, 1e6)), name: "Ada" });
    put(text);
    request.json = { text, put };
    return request;
  }),
  route("upload", (draw, head) => {
    const boundary = "x-boundary-x";
    const part = (lines: string, content: string) =>
      `--${boundary}\r\nContent-Disposition: form-data; ${lines}\r\n\r\n${content}\r\n`;
    const file = part(
      'name="file"; filename="a.txt"\r\nContent-Type: text/plain; charset=utf-8',
      "x".repeat(draw.between(0, 3_000)),
    );
    const body = `${part('name="title"', "A title")}${file}--${boundary}--\r\n`;
    return newRequest({
      ...head,
      headers: [...head.headers, ["Content-Type", `multipart/form-data; boundary=${boundary}`]],
      body: Buffer.from(body),
    });
  }),
  route("notes", (draw, head) =>
    newRequest({ ...head, headers: [...head.headers, ["Content-Type", "text/plain"]], body: Buffer.from("A note.") }),
  ),
  route("raw", (draw, head) =>
    newRequest({ ...head, body: Buffer.from(Array.from({ length: 40 }, () => draw.between(0, 255))) }),
  ),
  route("large", (draw, head) =>
    jsonRequest(head, {
      id: draw.between(0, 1e6),
      items: [
        { sku: "a", price: 1.5 },
        { sku: "b", price: 2 },
      ],
    }),
  ),
  route("check", (draw, head) =>
    draw.chance(0.5)
      ? newRequest({
          ...head,
          method: "GET",
          target: `${head.target}${head.target.includes("?") ? "&" : "?"}challenge=abc&a=1&a=2`,
        })
      : jsonRequest(head, { type: "check", code: "0815" }),
  ),
  route("github", (draw, head) => {
    const { event, payload } = draw.pick(payloads);
    const request = jsonRequest(head, payload);
    const sign = () =>
      `sha256=${createHmac("sha256", signingSecret)
        .update(request.body ?? "")
        .digest("hex")}`;
    const signature: [string, string] = ["X-Hub-Signature-256", sign()];
    request.headers.push(["X-GitHub-Event", event], ["X-GitHub-Delivery", String(draw.between(0, 1e9))], signature);
    const { json } = request;
    // A changed body is signed as well: the check of the signature must not hide what comes after it.
    if (json)
      request.json = {
        text: json.text,
        put(text) {
          json.put(text);
          signature[1] = sign();
        },
      };
    return request;
  }),
  route("vault", (draw, head, { sensitive }) =>
    jsonRequest(head, {
      id: String(draw.between(0, 1e6)),
      name: sensitive,
      card: { number: sensitive },
      visitors: { [sensitive]: 1 },
    }),
  ),
  route("anything", (draw, head) => jsonRequest(head, draw.pick(payloads).payload)),
  route("items", (draw, head) =>
    jsonRequest(head, {
      items: [
        { a: 1, b: "ada@example.com" },
        { a: draw.between(0, 9), b: "" },
      ],
    }),
  ),
  route("billing", (draw, head) => jsonRequest(head, draw.pick([{ paid: true, list: ["a"] }, { owed: 12 }, {}]))),
  {
    name: "POST /triggers/{endpoint}",
    request: (draw, values) => jsonRequest(headOf(draw, `nowhere-${draw.between(0, 1e6)}`, values), {}),
  },
];

type Head = Pick<FuzzRequest, "method" | "target" | "headers">;

function route(endpoint: string, make: (draw: Draw, head: Head, values: FuzzValues) => FuzzRequest): FuzzRoute {
  return {
    name: `POST /triggers/${endpoint}`,
    request: (draw, values) => make(draw, headOf(draw, endpoint, values), values),
  };
}

/** Mostly with the key, in one of its forms. */
function headOf(draw: Draw, endpoint: string, { host, webhookKey }: FuzzValues): Head {
  const form = draw.between(0, 9);
  const basic = Buffer.from(`hook:${webhookKey}`).toString("base64");
  const headers: Head["headers"] = [["Host", host], ["User-Agent", "fuzz"], proxyHeader(draw)];
  if (form < 4) headers.push(["X-Api-Key", webhookKey]);
  else if (form < 6) headers.push(["Authorization", `Bearer ${webhookKey}`]);
  else if (form === 6) headers.push(["Authorization", `Basic ${basic}`]);
  return {
    method: "POST",
    target: `/triggers/${endpoint}${form === 7 || form === 8 ? `?token=${webhookKey}&shop=a` : ""}`,
    headers,
  };
}

function formRequest(head: Head, body: string): FuzzRequest {
  return newRequest({
    ...head,
    headers: [...head.headers, ["Content-Type", "application/x-www-form-urlencoded"]],
    body: Buffer.from(body),
  });
}
