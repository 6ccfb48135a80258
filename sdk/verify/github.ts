import { fromHex } from "./encodings.ts";
import { type Secret, readSecrets, textKey } from "./secrets.ts";
import { type Verification, createVerification } from "./verification.ts";

/**
 * Webhooks of GitHub, signed in `x-hub-signature-256`. GitHub signs the body alone, not `x-github-delivery`: repeats
 * are recognised by the body. https://docs.github.com/webhooks/using-webhooks/validating-webhook-deliveries
 *
 * @example
 *   verify: github({ secret: process.env.GITHUB_SECRET });
 */
export function github(options: { secret: Secret }): Verification {
  const secrets = readSecrets(options, { scheme: "github", decode: textKey });
  return createVerification(
    {
      name: "github",
      hash: "sha256",
      signatureHeader: () => "x-hub-signature-256",
      form: "sha256= and 64 hexadecimal digits",
      readSignatures: (header) => [header.startsWith("sha256=") ? fromHex(header.slice(7), 32) : null],
      signed: ({ body }) => [body],
    },
    secrets,
  );
}
