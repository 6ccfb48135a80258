import { expect, it } from "vitest";
import { z } from "zod";
import { defineAgent, defineTool, scriptedModel } from "./agent/index.ts";
import { createClient } from "./client/index.ts";
import { github as githubEvents } from "./sources/github/index.ts";
import { shopify as shopifyEvents } from "./sources/shopify/index.ts";
import { slack as slackEvents } from "./sources/slack/index.ts";
import { stripe as stripeEvents } from "./sources/stripe/index.ts";
import { twilio as twilioEvents } from "./sources/twilio/index.ts";
import { defineEndpoint, defineWebhookSource } from "./trigger/index.ts";
import * as verify from "./verify/index.ts";
import { defineWorkflow } from "./workflow/index.ts";

type Call = (options: object) => unknown;

const secret = "0123456789abcdef0123456789abcdef";
const source = { slug: "new-order", endpoint: "orders", request: z.object({}) };
const workflow = defineWorkflow({ slug: "ship", input: z.object({}), run: () => null });
const event = { slug: "new-event", endpoint: "events", pick: [] };

/** Each function with options, and options that it accepts. */
const calls: [name: string, call: unknown, options: object][] = [
  ["defineWebhookSource", defineWebhookSource, source],
  ["attach", defineWebhookSource(source).attach, { workflow }],
  ["defineEndpoint", defineEndpoint, { endpoint: "orders" }],
  ["endpoint.source", defineEndpoint({ endpoint: "orders" }).source, { slug: "new-order", request: z.object({}) }],
  ["defineWorkflow", defineWorkflow, { slug: "ship", input: z.object({}), run: () => null }],
  ["defineAgent", defineAgent, { slug: "triage", model: scriptedModel({ answers: [] }), instructions: "Sort." }],
  ["defineTool", defineTool, { description: "Search", inputSchema: z.object({}), execute: () => null }],
  ["scriptedModel", scriptedModel, { answers: [] }],
  ["createClient", createClient, { url: "https://hooks.example.com" }],
  ["github.on", (options: never) => githubEvents.on("push", options), event],
  ["shopify.on", (options: never) => shopifyEvents.on("orders/create", options), event],
  ["slack.on", (options: never) => slackEvents.on("app_mention", options), event],
  ["stripe.on", (options: never) => stripeEvents.on("invoice.paid", options), event],
  ["twilio.on", (options: never) => twilioEvents.on("message.received", options), event],
];

/** The options of the functions of `signalbox/verify`, if they are not `secret` alone. */
const verifications: Partial<Record<keyof typeof verify, object>> = {
  botFramework: { appId: "a1" },
  custom: { name: "acme", check: () => true },
  discord: { publicKey: "ab".repeat(32) },
  googlePubSub: { audience: "orders", serviceAccount: "push@my-project.iam.gserviceaccount.com" },
  hmac: { secret, header: "x-signature" },
  meta: { secret, verifyToken: secret },
  oidc: { issuer: "https://accounts.google.com", audience: "orders" },
  sendgrid: { publicKey: "MFkw" },
  sns: { topicArn: "arn:aws:sns:eu-west-1:123456789012:orders" },
};

it.each([
  ...calls,
  ...Object.entries(verify).map(([name, call]): [string, unknown, object] => [
    name,
    call,
    verifications[name as keyof typeof verify] ?? { secret },
  ]),
])("%s rejects options that do not exist", (_, call, options) => {
  const define = call as Call;
  define(options);
  const [first = ""] = Object.keys(options);
  const [misspelt, near] = [`${first}s`, first];
  expect(() => define({ ...options, [misspelt]: 1 })).toThrow(
    `: there is no option ${misspelt}. Did you mean "${near}"? The options are `,
  );
  expect(() => define({ ...options, zzzzzzzz: undefined })).toThrow(
    /: there is no option zzzzzzzz\. The options are (\w+, )*\w+\.$/,
  );
});

it("hmac rejects options of the timestamp that do not exist", () => {
  const timestamp = { header: "x-time", tolerence: "1m" };
  expect(() => verify.hmac({ secret, header: "x-signature", timestamp })).toThrow(
    'hmac: timestamp: there is no option tolerence. Did you mean "tolerance"?',
  );
});
