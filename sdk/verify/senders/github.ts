import { checkNames } from "../../check-shape.ts";
import { fromHex, readSecrets, type Secret, textKey } from "../secrets.ts";
import { type Verification, createVerification, writeHex } from "../verification.ts";

/**
 * Verifies GitHub webhooks: the header `x-hub-signature-256` signs the body. GitHub does not sign `x-github-delivery`,
 * so retries are recognised by the body. Without `body`, the source accepts JSON, and forms with their JSON in the
 * field `payload`. Throws a TypeError if `secret` is not a string or a list of strings.
 * https://docs.github.com/webhooks/using-webhooks/validating-webhook-deliveries
 *
 * @example
 *   import { github } from "signalbox/verify";
 *
 *   verify: github({ secret: process.env.GITHUB_SECRET });
 */
export function github(options: { secret: Secret }): Verification {
  const secrets = readSecrets(options, { scheme: "github", decode: textKey });
  checkNames(options, "github", ["secret"]);
  return createVerification(
    {
      name: "github",
      signatureHeader: () => "x-hub-signature-256",
      form: "sha256= and 64 hexadecimal digits",
      readSignatures: (header) => [header.startsWith("sha256=") ? fromHex(header.slice(7), 32) : null],
      signed: ({ body }) => [body],
      seal: { write: (signature) => `sha256=${writeHex(signature)}` },
      // Forms, unless the settings of the webhook say otherwise.
      bodies: ["json", { type: "form", field: "payload" }],
    },
    secrets,
  );
}
