import { checkNames } from "../../check-shape.ts";
import type { SignedRequest } from "../../definition.ts";
import type { Duration } from "../../duration.ts";
import { explainUrl, readUrlOption, unknownUrl, urlOf } from "../public-url.ts";
import { fromBase64, readSecrets, type Secret, textKey } from "../secrets.ts";
import {
  type Content,
  createVerification,
  fault,
  readMilliseconds,
  readTolerance,
  type Verification,
  writeBase64,
} from "../verification.ts";

const timeHeader = "x-hubspot-request-timestamp";

/** The escapes that HubSpot decodes in the URL before it signs it. */
const decoded = /%(?:3A|2F|3F|40|21|24|27|28|29|2A|2C|3B)/gi;

/**
 * Verifies HubSpot webhooks of version 3: the header `x-hubspot-signature-v3` signs the method, the URL, the body and
 * `x-hubspot-request-timestamp` with the app's client secret. `url` is the target URL in the app's settings, with its
 * key. Default: the public URL of the request. `tolerance` is the maximum clock difference. Default: 5 minutes. Throws
 * a TypeError if an option is invalid.
 * https://developers.hubspot.com/docs/apps/developer-platform/build-apps/authentication/request-validation
 *
 * @example
 *   import { hubspot } from "signalbox/verify";
 *
 *   verify: hubspot({ secret: process.env.HUBSPOT_CLIENT_SECRET });
 */
export function hubspot(options: { secret: Secret; url?: string | undefined; tolerance?: Duration }): Verification {
  const secrets = readSecrets(options, { scheme: "hubspot", decode: textKey });
  checkNames(options, "hubspot", ["secret", "url", "tolerance"]);
  const url = readUrlOption(options.url, "hubspot");
  const toleranceMs = readTolerance(options.tolerance, "hubspot");
  const contentOf = (request: SignedRequest, used: string): Content => [
    request.method,
    used,
    request.body,
    request.header(timeHeader) ?? "",
  ];
  return createVerification(
    {
      name: "hubspot",
      bodies: ["json"],
      signatureHeader: () => "x-hubspot-signature-v3",
      form: "32 bytes in base64",
      readSignatures: (header) => [fromBase64(header, 32)],
      signed(request) {
        const used = urlOf(request, url);
        if (used === null) return unknownUrl("hubspot");
        if (request.header(timeHeader) === null)
          return fault("malformed", `The header ${timeHeader} is missing (hubspot).`);
        return contentOf(request, used.replaceAll(decoded, decodeURIComponent));
      },
      seal: { headers: ({ receivedAtMs }) => ({ [timeHeader]: String(receivedAtMs) }), write: writeBase64 },
      // The libraries of HubSpot do not decode it.
      alternatives: (request) => [contentOf(request, urlOf(request, url) ?? "")],
      time: { source: timeHeader, toleranceMs, read: ({ header }) => readMilliseconds(header(timeHeader)) },
      readsUrl: url === null,
      explainMismatch: (request) => explainUrl(urlOf(request, url)),
      options: { url, toleranceMs },
    },
    secrets,
  );
}
