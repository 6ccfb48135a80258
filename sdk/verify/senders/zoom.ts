import { checkNames } from "../../check-shape.ts";
import { isRecord } from "../body.ts";
import type { Duration } from "../../duration.ts";
import { fromHex, readSecrets, type Secret, textKey } from "../secrets.ts";
import {
  type Verification,
  createVerification,
  fault,
  jsonAnswer,
  readSeconds,
  readTolerance,
  writeHex,
  writeSeconds,
} from "../verification.ts";

const timeHeader = "x-zm-request-timestamp";

/**
 * Verifies Zoom webhooks: the header `x-zm-signature` signs `x-zm-request-timestamp` and the body with the secret token
 * of the app. Signalbox answers Zoom's URL validation (`endpoint.url_validation`) without starting a run. `tolerance`
 * is the maximum clock difference. Default: 5 minutes. Throws a TypeError if an option is invalid.
 * https://developers.zoom.us/docs/api/webhooks/#verify-webhook-events
 *
 * @example
 *   import { zoom } from "signalbox/verify";
 *
 *   verify: zoom({ secret: process.env.ZOOM_SECRET_TOKEN });
 */
export function zoom(options: { secret: Secret; tolerance?: Duration }): Verification {
  const secrets = readSecrets(options, { scheme: "zoom", decode: textKey });
  checkNames(options, "zoom", ["secret", "tolerance"]);
  const toleranceMs = readTolerance(options.tolerance, "zoom");
  return createVerification(
    {
      name: "zoom",
      bodies: ["json"],
      signatureHeader: () => "x-zm-signature",
      form: "v0= and 64 hexadecimal digits",
      readSignatures: (header) => [header.startsWith("v0=") ? fromHex(header.slice(3), 32) : null],
      signed: ({ header, body }) => {
        const time = header(timeHeader);
        return time === null
          ? fault("malformed", `The header ${timeHeader} is missing (zoom).`)
          : ["v0:", time, ":", body];
      },
      seal: {
        headers: ({ receivedAtMs }) => ({ [timeHeader]: writeSeconds(receivedAtMs) }),
        write: (signature) => `v0=${writeHex(signature)}`,
      },
      time: { source: timeHeader, toleranceMs, read: ({ header }) => readSeconds(header(timeHeader)) },
      answer(body, _, key) {
        const plainToken = readPlainToken(body);
        if (plainToken === null) return null;
        return jsonAnswer({ plainToken, encryptedToken: Buffer.from(key.sign([plainToken])).toString("hex") });
      },
      options: { toleranceMs },
    },
    secrets,
  );
}

function readPlainToken(body: unknown): string | null {
  if (!isRecord(body) || body["event"] !== "endpoint.url_validation" || !isRecord(body["payload"])) return null;
  const { plainToken } = body["payload"];
  return typeof plainToken === "string" ? plainToken : null;
}
