import { checkNames } from "../../check-shape.ts";
import type { SignedRequest } from "../../definition.ts";
import { explainUrl, readUrlOption, unknownUrl, urlOf } from "../public-url.ts";
import { fromBase64, readSecrets, type Secret, textKey } from "../secrets.ts";
import { createVerification, type Verification, writeBase64 } from "../verification.ts";

/**
 * Verifies Square webhooks: the header `x-square-hmacsha256-signature` signs the notification URL and the body. `url`
 * is the notification URL in Square's settings, with its key. Default: the public URL of the request. To recognise
 * retries, add `dedupe: { field: "/event_id" }`. Throws a TypeError if an option is invalid.
 * https://developer.squareup.com/docs/webhooks/step3validate
 *
 * @example
 *   import { square } from "signalbox/verify";
 *
 *   verify: square({ secret: process.env.SQUARE_SIGNATURE_KEY });
 */
export function square(options: {
  /** The signature key of the subscription; a list during a rotation. */
  secret: Secret;
  url?: string | undefined;
}): Verification {
  const secrets = readSecrets(options, { scheme: "square", decode: textKey });
  checkNames(options, "square", ["secret", "url"]);
  const url = readUrlOption(options.url, "square");
  return createVerification(
    {
      name: "square",
      bodies: ["json"],
      signatureHeader: () => "x-square-hmacsha256-signature",
      form: "32 bytes in base64",
      readSignatures: (header) => [fromBase64(header, 32)],
      signed(request: SignedRequest) {
        const used = urlOf(request, url);
        return used === null ? unknownUrl("square") : [used, request.body];
      },
      seal: { write: writeBase64 },
      readsUrl: url === null,
      explainMismatch: (request) => explainUrl(urlOf(request, url)),
      options: { url },
    },
    secrets,
  );
}
