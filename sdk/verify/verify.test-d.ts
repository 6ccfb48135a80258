import { z } from "zod";
import { defineWebhookSource } from "signalbox/trigger";
import {
  github,
  hmac,
  linear,
  shopify,
  slack,
  standardWebhooks,
  stripe,
  svix,
  type Verification,
} from "signalbox/verify";
import { type Equal, expectTrue } from "../testing/exact-type.ts";

// An environment variable can be unset: the server reports it at the start, not the compiler.
const secret = process.env["GITHUB_SECRET"];
const verify = github({ secret });
expectTrue<Equal<typeof verify, Verification>>();
for (const scheme of [shopify, linear, slack, stripe, standardWebhooks, svix])
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

const source = { slug: "push", endpoint: "github", request: z.object({ id: z.string() }) } as const;
defineWebhookSource({ ...source, verify, dedupe: { header: "x-github-delivery" } });
defineWebhookSource({ ...source, dedupe: { field: "/id", window: "7d" } });
defineWebhookSource({ ...source, dedupe: { window: "7d" } });
defineWebhookSource({ ...source, rateLimit: { requests: 100, per: "minute" } });

// @ts-expect-error a secret is needed
github({});
// @ts-expect-error GitHub signs without a time
github({ secret, tolerance: "1m" });
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
