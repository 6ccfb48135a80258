import { createHmac, generateKeyPairSync, type KeyObject, sign as signWithKey } from "node:crypto";
import { sign as signByOctokit } from "@octokit/webhooks-methods";
import { Webhook as StandardWebhook } from "standardwebhooks";
import { Stripe } from "stripe";
import { Webhook as SvixWebhook } from "svix";
import { readMultipartTexts } from "../../../server/domain/requests/multipart.ts";
import type { SignatureFault, SignedRequest } from "../../definition.ts";
import * as schemes from "../index.ts";
import type { Secret, Verification } from "../index.ts";

/** A verification that needs no time. */
export interface InstantVerification extends Verification {
  check(request: SignedRequest): SignatureFault | null;
}

/** The same function, whose result is known to need no time. */
export function instant<Options extends unknown[]>(
  create: (...options: Options) => Verification,
): (...options: Options) => InstantVerification {
  return (...options) => {
    const verification = create(...options);
    return {
      ...verification,
      check(request) {
        const fault = verification.check(request);
        if (fault instanceof Promise) throw new Error("The check returned a promise.");
        return fault;
      },
    };
  };
}

const github = instant(schemes.github);
const hmac = instant(schemes.hmac);
const linear = instant(schemes.linear);
const shopify = instant(schemes.shopify);
const slack = instant(schemes.slack);
const standardWebhooks = instant(schemes.standardWebhooks);
const stripe = instant(schemes.stripe);
const svix = instant(schemes.svix);
const xero = instant(schemes.xero);
const twitter = instant(schemes.twitter);
const linkedin = instant(schemes.linkedin);
const zoom = instant(schemes.zoom);
const meta = instant(schemes.meta);
const square = instant(schemes.square);
const hubspot = instant(schemes.hubspot);
const discord = instant(schemes.discord);
const sendgrid = instant(schemes.sendgrid);

export const now = 1_700_000_000_000;
export const textSecret = "0123456789abcdef0123456789abcdef";
const otherTextSecret = "fedcba9876543210fedcba9876543210";
export const base64Secret = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw";
const otherBase64Secret = "whsec_C2FVsBQIhrscChlQIMV+b5sSYspob7oD";

export interface Sender {
  name: string;
  verify: (secret: Secret) => InstantVerification;
  secret: string;
  otherSecret: string;
  /** The headers that the sender adds, as its own library makes them, or its documentation says. */
  sign: (request: {
    body: Buffer;
    at: number;
    secret: string;
  }) => Promise<Record<string, string>> | Record<string, string>;
  signatureHeader: string;
  /** The header with the timestamp. `null`: the signature has none, or has it elsewhere. */
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

/** The public URL of every request, unless a test sets another one. */
export const publicUrl = "https://hooks.example.com/triggers/shop?token=sbk_1&a=%2Fb";

const privateKeys = new Map<string, KeyObject>();

/** Returns the public key as the sender shows it. `sign` of the senders below finds the private key by it. */
function createKeyPair(kind: "ed25519" | "p256"): string {
  const { publicKey, privateKey } =
    kind === "ed25519" ? generateKeyPairSync("ed25519") : generateKeyPairSync("ec", { namedCurve: "P-256" });
  const shown =
    kind === "ed25519"
      ? Buffer.from(publicKey.export({ format: "jwk" }).x ?? "", "base64url").toString("hex")
      : publicKey.export({ format: "der", type: "spki" }).toString("base64");
  privateKeys.set(shown, privateKey);
  return shown;
}

/** Signs the parts with the private key of a public key. */
function signBy(publicKey: string, hash: "sha256" | null, ...parts: (string | Uint8Array)[]): Buffer {
  const key = privateKeys.get(publicKey);
  if (!key) throw new Error("unknown key");
  return signWithKey(hash, Buffer.concat(parts.map((part) => Buffer.from(part))), key);
}

export const discordKeys = { secret: createKeyPair("ed25519"), otherSecret: createKeyPair("ed25519") };
const sendgridKeys = { secret: createKeyPair("p256"), otherSecret: createKeyPair("p256") };

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
    name: "xero",
    verify: (secret) => xero({ secret }),
    ...text,
    sign: ({ body, secret }) => ({ "x-xero-signature": digest(secret, "base64", body) }),
    signatureHeader: "x-xero-signature",
    timeHeader: null,
    hasTime: false,
  },
  {
    name: "twitter",
    verify: (secret) => twitter({ secret }),
    ...text,
    sign: ({ body, secret }) => ({ "x-twitter-webhooks-signature": `sha256=${digest(secret, "base64", body)}` }),
    signatureHeader: "x-twitter-webhooks-signature",
    timeHeader: null,
    hasTime: false,
  },
  {
    name: "linkedin",
    verify: (secret) => linkedin({ secret }),
    ...text,
    sign: ({ body, secret }) => ({ "x-li-signature": digest(secret, "hex", "hmacsha256=", body) }),
    signatureHeader: "x-li-signature",
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
  {
    name: "zoom",
    verify: (secret) => zoom({ secret }),
    ...text,
    sign: ({ body, at, secret }) => ({
      "x-zm-request-timestamp": `${seconds(at)}`,
      "x-zm-signature": `v0=${digest(secret, "hex", `v0:${seconds(at)}:`, body)}`,
    }),
    signatureHeader: "x-zm-signature",
    timeHeader: "x-zm-request-timestamp",
    hasTime: true,
  },
  {
    name: "meta",
    verify: (secret) => meta({ secret, verifyToken: "a verify token of our own" }),
    ...text,
    sign: async ({ body, secret }) => ({ "x-hub-signature-256": await signByOctokit(secret, body.toString()) }),
    signatureHeader: "x-hub-signature-256",
    timeHeader: null,
    hasTime: false,
  },
  {
    name: "square",
    verify: (secret) => square({ secret }),
    ...text,
    sign: ({ body, secret }) => ({ "x-square-hmacsha256-signature": digest(secret, "base64", publicUrl, body) }),
    signatureHeader: "x-square-hmacsha256-signature",
    timeHeader: null,
    hasTime: false,
  },
  {
    name: "hubspot",
    verify: (secret) => hubspot({ secret }),
    ...text,
    sign: ({ body, at, secret }) => ({
      "x-hubspot-request-timestamp": `${at}`,
      "x-hubspot-signature-v3": digest(secret, "base64", "POST", publicUrl.replace("%2F", "/"), body, `${at}`),
    }),
    signatureHeader: "x-hubspot-signature-v3",
    timeHeader: "x-hubspot-request-timestamp",
    hasTime: true,
  },
  {
    name: "discord",
    verify: (publicKey) => discord({ publicKey }),
    ...discordKeys,
    sign: ({ body, at, secret }) => ({
      "x-signature-timestamp": `${seconds(at)}`,
      "x-signature-ed25519": signBy(secret, null, `${seconds(at)}`, body).toString("hex"),
    }),
    signatureHeader: "x-signature-ed25519",
    timeHeader: "x-signature-timestamp",
    hasTime: true,
  },
  {
    name: "sendgrid",
    verify: (publicKey) => sendgrid({ publicKey }),
    ...sendgridKeys,
    sign: ({ body, at, secret }) => ({
      "x-twilio-email-event-webhook-timestamp": `${seconds(at)}`,
      "x-twilio-email-event-webhook-signature": signBy(secret, "sha256", `${seconds(at)}`, body).toString("base64"),
    }),
    signatureHeader: "x-twilio-email-event-webhook-signature",
    timeHeader: "x-twilio-email-event-webhook-timestamp",
    hasTime: true,
  },
];

/** Linear says when it sent inside the body, so that it signs bodies of its own only. */
export const linearSender = {
  verify: (secret: Secret) => linear({ secret }),
  bodyAt: (at: number) => Buffer.from(JSON.stringify({ action: "create", webhookTimestamp: at })),
  sign: (body: Buffer) => ({ "linear-signature": digest(textSecret, "hex", body) }),
};

export function requestOf(
  headers: Record<string, string>,
  body: Uint8Array,
  receivedAtMs = now,
  { method = "POST", url = publicUrl }: { method?: string; url?: string | null } = {},
): SignedRequest {
  return {
    body,
    receivedAtMs,
    method,
    url,
    header: (name) => headers[name] ?? null,
    headers: () => Object.entries(headers),
    multipart: () => readMultipartTexts(body, headers["content-type"] ?? null),
  };
}
