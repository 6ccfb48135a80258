import { checkNames } from "../../check-shape.ts";
import { fromBase64, readSecrets, type Secret, textKey } from "../secrets.ts";
import { greetSigned } from "../signed-challenge.ts";
import { createVerification, type Verification, writeBase64 } from "../verification.ts";

/**
 * Verifies webhooks of X (Twitter): the header `x-twitter-webhooks-signature` signs the body with the consumer secret
 * of the app. Signalbox answers the challenge-response check (GET with `crc_token`) without starting a run. In a list,
 * the first secret signs the answer. X repeats an event until the response is 200, so events get 200 without a body,
 * unless `reply` sets another response. Retries are recognised by the body. Throws a TypeError if `secret` is not a
 * string or a list of strings. https://docs.x.com/x-api/webhooks/quickstart
 *
 * @example
 *   import { twitter } from "signalbox/verify";
 *
 *   verify: twitter({ secret: process.env.X_CONSUMER_SECRET });
 */
export function twitter(options: { secret: Secret }): Verification {
  const secrets = readSecrets(options, { scheme: "twitter", decode: textKey });
  checkNames(options, "twitter", ["secret"]);
  return createVerification(
    {
      name: "twitter",
      bodies: ["json"],
      reply: { accepted: {}, held: {} },
      signatureHeader: () => "x-twitter-webhooks-signature",
      form: "sha256= and 32 bytes in base64",
      readSignatures: (header) => [header.startsWith("sha256=") ? fromBase64(header.slice(7), 32) : null],
      signed: ({ body }) => [body],
      seal: { write },
      greet: greetSigned({
        scheme: "twitter",
        parameter: "crc_token",
        secrets,
        answer: (_, signature) => ({ response_token: write(signature) }),
      }),
    },
    secrets,
  );
}

function write(signature: Uint8Array): string {
  return `sha256=${writeBase64(signature)}`;
}
