export { github } from "./github.ts";
export { type HmacOptions, hmac } from "./hmac.ts";
export { linear } from "./linear.ts";
export { shopify } from "./shopify.ts";
export { slack } from "./slack.ts";
export { standardWebhooks, svix } from "./standard-webhooks.ts";
export { stripe } from "./stripe.ts";
export type { Secret } from "./secrets.ts";
export type { Verification } from "./verification.ts";
