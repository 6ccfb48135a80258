import { checkNames } from "../../check-shape.ts";
import { isRecord } from "../body.ts";
import { fromBase64, readSecrets, type Secret, textKey } from "../secrets.ts";
import { type Verification, createVerification, writeBase64 } from "../verification.ts";

/**
 * Verifies Xero webhooks: the header `x-xero-signature` signs the body with the webhook key. Signalbox answers the
 * validation ("intent to receive"), which has no events, without starting a run. Xero accepts only responses without a
 * body, 200 or 401, so these are the responses of the endpoint unless `reply` sets others. Retries are recognised by
 * the body. Throws a TypeError if `secret` is not a string or a list of strings.
 * https://developer.xero.com/documentation/guides/webhooks/configuring-your-server
 *
 * @example
 *   import { xero } from "signalbox/verify";
 *
 *   verify: xero({ secret: process.env.XERO_WEBHOOK_KEY });
 */
export function xero(options: { secret: Secret }): Verification {
  const secrets = readSecrets(options, { scheme: "xero", decode: textKey });
  checkNames(options, "xero", ["secret"]);
  return createVerification(
    {
      name: "xero",
      bodies: ["json"],
      reply: { accepted: {}, skipped: {}, held: {}, rejected: {} },
      signatureHeader: () => "x-xero-signature",
      form: "32 bytes in base64",
      readSignatures: (header) => [fromBase64(header, 32)],
      signed: ({ body }) => [body],
      seal: { write: writeBase64 },
      answer: (body) =>
        isRecord(body) && Array.isArray(body["events"]) && body["events"].length === 0
          ? { status: 200, contentType: null, body: "" }
          : null,
    },
    secrets,
  );
}
