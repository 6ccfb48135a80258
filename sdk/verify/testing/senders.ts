import { createHmac } from "node:crypto";
import { sign as signByOctokit } from "@octokit/webhooks-methods";
import { Webhook as StandardWebhook } from "standardwebhooks";
import { Stripe } from "stripe";
import { Webhook as SvixWebhook } from "svix";
import type { SignedRequest } from "../../definition.ts";
import {
  github,
  hmac,
  linear,
  type Secret,
  shopify,
  slack,
  standardWebhooks,
  stripe,
  svix,
  type Verification,
} from "../index.ts";

export const now = 1_700_000_000_000;
export const textSecret = "0123456789abcdef0123456789abcdef";
const otherTextSecret = "fedcba9876543210fedcba9876543210";
export const base64Secret = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw";
const otherBase64Secret = "whsec_C2FVsBQIhrscChlQIMV+b5sSYspob7oD";

export interface Sender {
  name: string;
  verify: (secret: Secret) => Verification;
  secret: string;
  otherSecret: string;
  /** The headers that the sender adds, as its own library makes them, or its documentation says. */
  sign: (p: { body: Buffer; at: number; secret: string }) => Promise<Record<string, string>> | Record<string, string>;
  signatureHeader: string;
  /** The header with the time; `null` where a signature has none, or has it elsewhere. */
  timeHeader: string | null;
  hasTime: boolean;
}

const digest = (secret: string, encoding: "hex" | "base64", ...parts: (string | Buffer)[]) => {
  const mac = createHmac("sha256", secret);
  for (const part of parts) mac.update(part);
  return mac.digest(encoding);
};
const seconds = (at: number) => Math.floor(at / 1000);
const text = { secret: textSecret, otherSecret: otherTextSecret };
const base64 = { secret: base64Secret, otherSecret: otherBase64Secret };

export const senders: Sender[] = [
  {
    name: "github",
    verify: (secret) => github({ secret }),
    ...text,
    sign: async ({ body, secret }) => ({ "x-hub-signature-256": await signByOctokit(secret, body.toString()) }),
    signatureHeader: "x-hub-signature-256",
    timeHeader: null,
    hasTime: false,
  },
  {
    name: "stripe",
    verify: (secret) => stripe({ secret }),
    ...text,
    sign: ({ body, at, secret }) => ({
      "stripe-signature": Stripe.webhooks.generateTestHeaderString({
        payload: body.toString(),
        secret,
        timestamp: seconds(at),
      }),
    }),
    signatureHeader: "stripe-signature",
    timeHeader: null,
    hasTime: true,
  },
  {
    name: "slack",
    verify: (secret) => slack({ secret }),
    ...text,
    sign: ({ body, at, secret }) => ({
      "x-slack-request-timestamp": `${seconds(at)}`,
      "x-slack-signature": `v0=${digest(secret, "hex", `v0:${seconds(at)}:`, body)}`,
    }),
    signatureHeader: "x-slack-signature",
    timeHeader: "x-slack-request-timestamp",
    hasTime: true,
  },
  {
    name: "shopify",
    verify: (secret) => shopify({ secret }),
    ...text,
    sign: ({ body, secret }) => ({ "x-shopify-hmac-sha256": digest(secret, "base64", body) }),
    signatureHeader: "x-shopify-hmac-sha256",
    timeHeader: null,
    hasTime: false,
  },
  {
    name: "standardWebhooks",
    verify: (secret) => standardWebhooks({ secret }),
    ...base64,
    sign: ({ body, at, secret }) => ({
      "webhook-id": "msg_1",
      "webhook-timestamp": `${seconds(at)}`,
      "webhook-signature": new StandardWebhook(secret).sign("msg_1", new Date(at), body.toString()),
    }),
    signatureHeader: "webhook-signature",
    timeHeader: "webhook-timestamp",
    hasTime: true,
  },
  {
    name: "svix",
    verify: (secret) => svix({ secret }),
    ...base64,
    sign: ({ body, at, secret }) => ({
      "svix-id": "msg_1",
      "svix-timestamp": `${seconds(at)}`,
      "svix-signature": new SvixWebhook(secret).sign("msg_1", new Date(at), body.toString()),
    }),
    signatureHeader: "svix-signature",
    timeHeader: "svix-timestamp",
    hasTime: true,
  },
  {
    name: "hmac",
    verify: (secret) =>
      hmac({
        secret,
        header: "X-Signature",
        algorithm: "sha512",
        encoding: "base64",
        prefix: "v1=",
        timestamp: { header: "X-Time", unit: "ms" },
        signedContent: "v1:{x-id}:{timestamp}:{body}",
      }),
    ...text,
    sign: ({ body, at, secret }) => ({
      "x-id": "7",
      "x-time": `${at}`,
      "x-signature": `v1=${createHmac("sha512", secret).update(`v1:7:${at}:`).update(body).digest("base64")}`,
    }),
    signatureHeader: "x-signature",
    timeHeader: "x-time",
    hasTime: true,
  },
];

/** Linear says when it sent inside the body, so that it signs bodies of its own only. */
export const linearSender = {
  verify: (secret: Secret) => linear({ secret }),
  bodyAt: (at: number) => Buffer.from(JSON.stringify({ action: "create", webhookTimestamp: at })),
  sign: (body: Buffer) => ({ "linear-signature": digest(textSecret, "hex", body) }),
};

export function requestOf(headers: Record<string, string>, body: Uint8Array, receivedAtMs = now): SignedRequest {
  return { body, receivedAtMs, header: (name) => headers[name] ?? null };
}
