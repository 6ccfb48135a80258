import { checkNames } from "../../check-shape.ts";
import type { Duration } from "../../duration.ts";
import { fromHex, readSecrets, type Secret, textKey } from "../secrets.ts";
import {
  type Verification,
  createVerification,
  fault,
  readSeconds,
  readTolerance,
  writeHex,
  writeSeconds,
} from "../verification.ts";

const name = "stripe-signature";

/**
 * Verifies Stripe webhooks: the header `stripe-signature` (`t=<seconds>,v1=<hex>`) signs the time and the body.
 * `secret` is the signing secret of the endpoint (`whsec_…`). `tolerance` is the maximum clock difference. Default: 5
 * minutes. To recognise retries, add `dedupe: { field: "/id" }`. Throws a TypeError if an option is invalid.
 * https://docs.stripe.com/webhooks#verify-manually
 *
 * @example
 *   import { stripe } from "signalbox/verify";
 *
 *   verify: stripe({ secret: process.env.STRIPE_SECRET });
 */
export function stripe(options: { secret: Secret; tolerance?: Duration }): Verification {
  const secrets = readSecrets(options, { scheme: "stripe", decode: textKey });
  checkNames(options, "stripe", ["secret", "tolerance"]);
  const toleranceMs = readTolerance(options.tolerance, "stripe");
  return createVerification(
    {
      name: "stripe",
      bodies: ["json"],
      signatureHeader: () => name,
      form: "t=<seconds>,v1=<64 hexadecimal digits>",
      readSignatures: (header) => valuesOf(header, "v1").map((value) => fromHex(value, 32)),
      signed: ({ body }, header) => {
        const [time, ...others] = valuesOf(header, "t");
        return time === undefined || others.length > 0
          ? fault("malformed", `The header ${name} is malformed (stripe): expected one t=<seconds>.`)
          : [time, ".", body];
      },
      seal: { write: (signature, { receivedAtMs }) => `t=${writeSeconds(receivedAtMs)},v1=${writeHex(signature)}` },
      time: { source: `t in ${name}`, toleranceMs, read: (_, header) => readSeconds(valuesOf(header, "t")[0] ?? null) },
      options: { toleranceMs },
    },
    secrets,
  );
}

function valuesOf(header: string, field: string): string[] {
  return header.split(",").flatMap((pair) => {
    const [key = "", ...value] = pair.trim().split("=");
    return key === field ? [value.join("=")] : [];
  });
}
