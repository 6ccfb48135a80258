import type { Duration, SignedRequest } from "../definition.ts";
import { fromHex } from "./encodings.ts";
import { type Secret, readSecrets, textKey } from "./secrets.ts";
import { type Verification, createVerification, readTolerance } from "./verification.ts";

/**
 * Webhooks of Linear, signed in `linear-signature`; when it was sent stands in the body, as `webhookTimestamp`.
 * `tolerance` 5 minutes unless told. Linear does not sign `linear-delivery`: repeats are recognised by the rest of the
 * body. https://linear.app/developers/webhooks
 *
 * @example
 *   verify: linear({ secret: process.env.LINEAR_SECRET });
 */
export function linear(options: { secret: Secret; tolerance?: Duration }): Verification {
  const secrets = readSecrets(options, { scheme: "linear", decode: textKey });
  const toleranceMs = readTolerance(options.tolerance, "linear");
  return createVerification(
    {
      name: "linear",
      hash: "sha256",
      signatureHeader: () => "linear-signature",
      form: "64 hexadecimal digits",
      readSignatures: (header) => [fromHex(header, 32)],
      signed: ({ body }) => [body],
      // A retry is sent with a time of its own.
      eventContent: ({ body }) => [JSON.stringify({ ...parseObject(body), webhookTimestamp: undefined })],
      time: { place: "webhookTimestamp in the body", toleranceMs, read: readSentAt },
      options: { toleranceMs },
    },
    secrets,
  );
}

/** Milliseconds since 1970, inside the body that is signed. */
function readSentAt({ body }: SignedRequest): number | null {
  const { webhookTimestamp } = parseObject(body);
  return typeof webhookTimestamp === "number" ? webhookTimestamp : null;
}

/** Empty for a body that is not a JSON object. */
function parseObject(body: Uint8Array): { webhookTimestamp?: unknown } {
  try {
    const json: unknown = JSON.parse(new TextDecoder().decode(body));
    return typeof json === "object" && json !== null ? json : {};
  } catch {
    return {};
  }
}
