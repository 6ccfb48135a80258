import { checkNames } from "../../check-shape.ts";
import { fromBase64, readSecrets, type Secret, textKey } from "../secrets.ts";
import { type Verification, createVerification, writeBase64 } from "../verification.ts";

/**
 * Verifies Shopify webhooks: the header `x-shopify-hmac-sha256` signs the body with the app's client secret. Shopify
 * does not sign `x-shopify-webhook-id`, so retries are recognised by the body. Throws a TypeError if `secret` is not a
 * string or a list of strings. https://shopify.dev/docs/apps/build/webhooks/subscribe/https
 *
 * @example
 *   import { shopify } from "signalbox/verify";
 *
 *   verify: shopify({ secret: process.env.SHOPIFY_SECRET });
 */
export function shopify(options: { secret: Secret }): Verification {
  const secrets = readSecrets(options, { scheme: "shopify", decode: textKey });
  checkNames(options, "shopify", ["secret"]);
  return createVerification(
    {
      name: "shopify",
      bodies: ["json"],
      signatureHeader: () => "x-shopify-hmac-sha256",
      form: "32 bytes in base64",
      readSignatures: (header) => [fromBase64(header, 32)],
      signed: ({ body }) => [body],
      seal: { write: writeBase64 },
    },
    secrets,
  );
}
