import { z } from "zod";
import { defineWebhookSource } from "signalbox/trigger";
import {
  custom,
  type CustomRequest,
  discord,
  github,
  gitlab,
  hmac,
  hubspot,
  linear,
  linkedin,
  mailgun,
  meta,
  microsoftGraph,
  sendgrid,
  shopify,
  slack,
  sns,
  square,
  standardWebhooks,
  stripe,
  svix,
  twilio,
  twitter,
  type Verification,
  zoom,
} from "signalbox/verify";
import { type Equal, expectTrue } from "../testing/exact-type.ts";

// An environment variable can be unset: the server reports it at the start, not the compiler.
const secret = process.env["GITHUB_SECRET"];
const verify = github({ secret });
expectTrue<Equal<typeof verify, Verification>>();
const senders = [shopify, linear, slack, stripe, standardWebhooks, svix, zoom, mailgun, gitlab, microsoftGraph];
for (const scheme of [...senders, hubspot, square, twilio, twitter, linkedin])
  scheme({ secret: [secret, process.env["OLD_SECRET"]] });
stripe({ secret, tolerance: "10m" });
hmac({
  secret,
  header: "x-signature",
  algorithm: "sha512",
  encoding: "base64",
  prefix: "v1=",
  timestamp: { header: "x-time", unit: "ms", tolerance: "1m" },
  signedContent: "{timestamp}.{body}",
});
for (const scheme of [hubspot, square, twilio]) scheme({ secret, url: process.env["WEBHOOK_URL"] });
for (const scheme of [discord, sendgrid]) scheme({ publicKey: [secret, undefined], tolerance: "1m" });
meta({ secret, verifyToken: secret });
sns({ topicArn: ["arn:aws:sns:eu-west-1:123456789012:orders"], confirmSubscriptions: true, tolerance: "6h" });
custom({ name: "acme", check: ({ body }) => body.length > 0 });
custom({
  name: "acme",
  secret: [secret, undefined],
  header: "x-signature",
  signedHeaders: ["x-id"],
  async check(request) {
    expectTrue<Equal<typeof request, CustomRequest>>();
    expectTrue<Equal<typeof request.secrets, readonly string[]>>();
    return request.url === null ? { reason: "The URL is unknown." } : true;
  },
});

const source = { slug: "push", endpoint: "github", request: z.object({ id: z.string() }) } as const;
defineWebhookSource({ ...source, verify, dedupe: { header: "x-github-delivery" } });
defineWebhookSource({ ...source, dedupe: { field: "/id", window: "7d" } });
defineWebhookSource({ ...source, dedupe: { window: "7d" } });
defineWebhookSource({ ...source, rateLimit: { requests: 100, per: "minute" } });

// @ts-expect-error a secret is needed
github({});
// @ts-expect-error GitHub signs without a time
github({ secret, tolerance: "1m" });
// @ts-expect-error the public key is not a secret
discord({ secret });
// @ts-expect-error Meta's handshake needs the verify token
meta({ secret });
// @ts-expect-error Amazon signs the messages of every topic
sns({ confirmSubscriptions: true });
// @ts-expect-error a check decides with true, false or a reason
custom({ name: "acme", check: () => "yes" });
// @ts-expect-error no such algorithm
hmac({ secret, header: "x-signature", algorithm: "md5" });
// @ts-expect-error the signature's header is required
hmac({ secret });
// @ts-expect-error not a duration
stripe({ secret, tolerance: "ten minutes" });
// @ts-expect-error a secret alone verifies nothing
defineWebhookSource({ ...source, verify: secret });
// @ts-expect-error one of a header and a field
defineWebhookSource({ ...source, dedupe: { header: "x-id", field: "/id", window: "1h" } });
// @ts-expect-error not a supported unit
defineWebhookSource({ ...source, rateLimit: { requests: 100, per: "day" } });
// @ts-expect-error `requests` is required
defineWebhookSource({ ...source, rateLimit: { per: "minute" } });
