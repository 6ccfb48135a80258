import { checkNames } from "../../check-shape.ts";
import { isRecord, mediaTypeOf, readFormPairs, readJsonObject } from "../body.ts";
import type { SignedRequest } from "../../definition.ts";
import type { Duration } from "../../duration.ts";
import { fromHex, readSecrets, type Secret, textKey } from "../secrets.ts";
import { type Verification, createVerification, fault, readSeconds, readTolerance } from "../verification.ts";

/**
 * Verifies Mailgun webhooks and routes: the body contains `timestamp`, `token` and a signature of both. The signature
 * does not cover the rest of the body, so an event is identified by its token. Without `body`, the source accepts JSON
 * and both kinds of forms. `tolerance` is the maximum clock difference. Default: 5 minutes. Throws a TypeError if an
 * option is invalid. https://documentation.mailgun.com/docs/mailgun/user-manual/webhooks/securing-webhooks
 *
 * @example
 *   import { mailgun } from "signalbox/verify";
 *
 *   verify: mailgun({ secret: process.env.MAILGUN_SIGNING_KEY });
 */
export function mailgun(options: {
  /** The HTTP webhook signing key of the account; a list during a rotation. */
  secret: Secret;
  tolerance?: Duration;
}): Verification {
  const secrets = readSecrets(options, { scheme: "mailgun", decode: textKey });
  checkNames(options, "mailgun", ["secret", "tolerance"]);
  const toleranceMs = readTolerance(options.tolerance, "mailgun");
  return createVerification(
    {
      name: "mailgun",
      signatureField: {
        name: "signature of the body",
        read(request) {
          const { signature, parent } = readProof(request);
          return signature === null ? null : [signature, ...(parent === null ? [] : [parent])].join(" ");
        },
      },
      form: "64 hexadecimal digits",
      readSignatures: (text) => text.split(" ").map((signature) => fromHex(signature, 32)),
      signed(request) {
        const { timestamp, token } = readProof(request);
        return timestamp === null || token === null
          ? fault(
              "malformed",
              `The body has no ${timestamp === null ? "timestamp" : "token"} that is signed (mailgun).`,
            )
          : [timestamp, token];
      },
      coversBody: false,
      // Webhooks send JSON, routes send forms, with attachments multipart forms.
      bodies: ["json", "form", "multipart"],
      time: {
        source: "timestamp in the body",
        toleranceMs,
        read: (request) => readSeconds(readProof(request).timestamp),
      },
      options: { toleranceMs },
    },
    secrets,
  );
}

interface Proof {
  timestamp: string | null;
  token: string | null;
  signature: string | null;
  /** The signature of the primary account, if the event belongs to a subaccount. */
  parent: string | null;
}

/** Webhooks have these fields in `signature`, routes at the top. A field that occurs twice counts as missing. */
function readProof(request: SignedRequest): Proof {
  const read = readFields(request);
  return {
    timestamp: read("timestamp"),
    token: read("token"),
    signature: read("signature"),
    parent: read("parent-signature"),
  };
}

function readFields(request: SignedRequest): (name: string) => string | null {
  const type = mediaTypeOf(request);
  if (type === "application/x-www-form-urlencoded" || type === "multipart/form-data") {
    const pairs = type === "multipart/form-data" ? request.multipart() : readFormPairs(request.body);
    return (name) => {
      const [first, second] = pairs.filter(([other]) => other === name);
      return first === undefined || second !== undefined ? null : first[1];
    };
  }
  const { signature } = readJsonObject(request.body);
  return (name) => {
    const value = isRecord(signature) ? signature[name] : null;
    return typeof value === "string" ? value : Number.isSafeInteger(value) ? String(value) : null;
  };
}
