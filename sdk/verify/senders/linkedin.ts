import { checkNames } from "../../check-shape.ts";
import { fromHex, readSecrets, type Secret, textKey } from "../secrets.ts";
import { greetSigned } from "../signed-challenge.ts";
import { createVerification, type Verification, writeHex } from "../verification.ts";

const prefix = "hmacsha256=";

/**
 * Verifies webhooks of LinkedIn: the header `x-li-signature` signs `hmacsha256=` and the body with the client secret of
 * the app. Signalbox answers the validation (GET with `challengeCode`) without starting a run. LinkedIn repeats it
 * every two hours. In a list, the first secret signs the answer. Retries are recognised by the body. Throws a TypeError
 * if `secret` is not a string or a list of strings.
 * https://learn.microsoft.com/linkedin/shared/api-guide/webhook-validation
 *
 * @example
 *   import { linkedin } from "signalbox/verify";
 *
 *   verify: linkedin({ secret: process.env.LINKEDIN_CLIENT_SECRET });
 */
export function linkedin(options: { secret: Secret }): Verification {
  const secrets = readSecrets(options, { scheme: "linkedin", decode: textKey });
  checkNames(options, "linkedin", ["secret"]);
  return createVerification(
    {
      name: "linkedin",
      bodies: ["json"],
      signatureHeader: () => "x-li-signature",
      form: "64 hexadecimal digits",
      readSignatures: (header) => [fromHex(header.startsWith(prefix) ? header.slice(prefix.length) : header, 32)],
      signed: ({ body }) => [prefix, body],
      seal: { write: writeHex },
      greet: greetSigned({
        scheme: "linkedin",
        parameter: "challengeCode",
        secrets,
        answer: (challengeCode, signature) => ({ challengeCode, challengeResponse: writeHex(signature) }),
      }),
    },
    secrets,
  );
}
