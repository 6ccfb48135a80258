import { fromBase64 } from "./encodings.ts";
import { type Secret, readSecrets, textKey } from "./secrets.ts";
import { type Verification, createVerification } from "./verification.ts";

/**
 * Webhooks of Shopify, signed in `x-shopify-hmac-sha256` with the app's client secret. Shopify signs the body alone,
 * not `x-shopify-webhook-id`: repeats are recognised by the body.
 * https://shopify.dev/docs/apps/build/webhooks/subscribe/https
 *
 * @example
 *   verify: shopify({ secret: process.env.SHOPIFY_SECRET });
 */
export function shopify(options: { secret: Secret }): Verification {
  const secrets = readSecrets(options, { scheme: "shopify", decode: textKey });
  return createVerification(
    {
      name: "shopify",
      hash: "sha256",
      signatureHeader: () => "x-shopify-hmac-sha256",
      form: "32 bytes in base64",
      readSignatures: (header) => [fromBase64(header, 32)],
      signed: ({ body }) => [body],
    },
    secrets,
  );
}
