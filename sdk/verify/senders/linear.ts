import { checkNames } from "../../check-shape.ts";
import { readJsonObject } from "../body.ts";
import type { SignedRequest } from "../../definition.ts";
import type { Duration } from "../../duration.ts";
import { fromHex, readSecrets, type Secret, textKey } from "../secrets.ts";
import { type Verification, createVerification, readTolerance, writeHex } from "../verification.ts";

/**
 * Verifies Linear webhooks: the header `linear-signature` signs the body, which contains the time as
 * `webhookTimestamp`. `tolerance` is the maximum clock difference. Default: 5 minutes. Linear does not sign
 * `linear-delivery`, so retries are recognised by the rest of the body. Throws a TypeError if an option is invalid.
 * https://linear.app/developers/webhooks
 *
 * @example
 *   import { linear } from "signalbox/verify";
 *
 *   verify: linear({ secret: process.env.LINEAR_SECRET });
 */
export function linear(options: { secret: Secret; tolerance?: Duration }): Verification {
  const secrets = readSecrets(options, { scheme: "linear", decode: textKey });
  checkNames(options, "linear", ["secret", "tolerance"]);
  const toleranceMs = readTolerance(options.tolerance, "linear");
  return createVerification(
    {
      name: "linear",
      bodies: ["json"],
      signatureHeader: () => "linear-signature",
      form: "64 hexadecimal digits",
      readSignatures: (header) => [fromHex(header, 32)],
      signed: ({ body }) => [body],
      seal: { write: writeHex },
      // Each retry has a different time.
      eventContent: ({ body }) => [JSON.stringify({ ...readJsonObject(body), webhookTimestamp: undefined })],
      time: { source: "webhookTimestamp in the body", toleranceMs, read: readSentAt },
      options: { toleranceMs },
    },
    secrets,
  );
}

/** The Unix time in milliseconds in the signed body. */
function readSentAt({ body }: SignedRequest): number | null {
  const { webhookTimestamp } = readJsonObject(body);
  return typeof webhookTimestamp === "number" ? webhookTimestamp : null;
}
