import { randomUUID } from "node:crypto";
import { checkNames } from "../../check-shape.ts";
import type { SignedRequest } from "../../definition.ts";
import type { Duration } from "../../duration.ts";
import { fromAnyBase64, fromBase64, headerBytes, readSecrets, type Secret } from "../secrets.ts";
import {
  type Verification,
  createVerification,
  fault,
  readSeconds,
  readTolerance,
  writeBase64,
  writeSeconds,
} from "../verification.ts";

/**
 * Verifies Standard Webhooks: the header `webhook-signature` signs `webhook-id`, `webhook-timestamp` and the body.
 * `secret` is base64, usually after `whsec_` or `v1,whsec_`. `tolerance` is the maximum clock difference. Default: 5
 * minutes. Retries are recognised by the signed `webhook-id`. Asymmetric signatures (`v1a`) are not supported. Throws a
 * TypeError if an option is invalid.
 * https://github.com/standard-webhooks/standard-webhooks/blob/main/spec/standard-webhooks.md
 *
 * @example
 *   import { standardWebhooks } from "signalbox/verify";
 *
 *   verify: standardWebhooks({ secret: process.env.WEBHOOK_SECRET });
 */
export function standardWebhooks(options: { secret: Secret; tolerance?: Duration }): Verification {
  return create("standardWebhooks", options, () => "webhook");
}

/**
 * Verifies webhooks sent through Svix: Standard Webhooks with headers that start with `svix-` or `webhook-`. Retries
 * are recognised by the signed id. `tolerance` is the maximum clock difference. Default: 5 minutes. Throws a TypeError
 * if an option is invalid. https://docs.svix.com/receiving/verifying-payloads/how-manual
 *
 * @example
 *   import { svix } from "signalbox/verify";
 *
 *   verify: svix({ secret: process.env.SVIX_SECRET });
 */
export function svix(options: { secret: Secret; tolerance?: Duration }): Verification {
  return create("svix", options, ({ header }) =>
    header("svix-signature") === null && header("webhook-signature") !== null ? "webhook" : "svix",
  );
}

function create(
  name: string,
  options: { secret: Secret; tolerance?: Duration },
  prefixOf: (request: SignedRequest) => string,
): Verification {
  const secrets = readSecrets(options, {
    scheme: name,
    // Supabase shows `v1,whsec_…`.
    decode: (secret) => fromAnyBase64(secret.replace(/^(?:v1,)?whsec_/, "")),
  });
  checkNames(options, name, ["secret", "tolerance"]);
  const toleranceMs = readTolerance(options.tolerance, name);
  return createVerification(
    {
      name,
      signatureHeader: (request) => `${prefixOf(request)}-signature`,
      form: "v1,<32 bytes in base64>, several joined by spaces",
      readSignatures: (header) =>
        // The values of a repeated header are joined by a comma.
        header.split(/,?\s+/).map((each) => (each.startsWith("v1,") ? fromBase64(each.slice(3), 32) : null)),
      signed: (request) => {
        const parts = ["id", "timestamp"].map((part) => `${prefixOf(request)}-${part}`);
        const [id, time] = parts.map((part) => request.header(part));
        if (typeof id === "string" && typeof time === "string") return [headerBytes(id), ".", time, ".", request.body];
        return fault("malformed", `The header ${typeof id === "string" ? parts[1] : parts[0]} is missing (${name}).`);
      },
      seal: {
        headers: (request) => {
          const idHeader = `${prefixOf(request)}-id`;
          return {
            [idHeader]: request.header(idHeader) ?? `msg_${randomUUID()}`,
            [`${prefixOf(request)}-timestamp`]: writeSeconds(request.receivedAtMs),
          };
        },
        write: (signature) => `v1,${writeBase64(signature)}`,
      },
      signedHeaders: name === "svix" ? ["svix-id", "webhook-id"] : ["webhook-id"],
      // Both names return the signed id: a replayed request could rename the headers.
      readSignedHeader: (request) => request.header(`${prefixOf(request)}-id`),
      time: {
        source: "the timestamp header",
        toleranceMs,
        read: (request) => readSeconds(request.header(`${prefixOf(request)}-timestamp`)),
      },
      options: { toleranceMs },
    },
    secrets,
  );
}
