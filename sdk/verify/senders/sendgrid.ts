import { Buffer } from "node:buffer";
import { createPublicKey, type KeyObject, verify } from "node:crypto";
import { checkNames } from "../../check-shape.ts";
import type { Duration } from "../../duration.ts";
import { fromBase64, type Key, readKeys, type Secret } from "../secrets.ts";
import { createVerification, fault, readSeconds, readTolerance, type Verification } from "../verification.ts";

const signatureHeader = "x-twilio-email-event-webhook-signature";
const timeHeader = "x-twilio-email-event-webhook-timestamp";

/**
 * Verifies event webhooks of SendGrid: the header `x-twilio-email-event-webhook-signature` signs
 * `x-twilio-email-event-webhook-timestamp` and the body (ECDSA). `tolerance` is the maximum clock difference. Default:
 * 5 minutes. Throws a TypeError if an option is invalid.
 * https://www.twilio.com/docs/sendgrid/for-developers/tracking-events/getting-started-event-webhook-security-features
 *
 * @example
 *   import { sendgrid } from "signalbox/verify";
 *
 *   verify: sendgrid({ publicKey: process.env.SENDGRID_VERIFICATION_KEY });
 */
export function sendgrid(options: {
  /** The verification key of the webhook, in base64; a list during a rotation. */
  publicKey: Secret;
  tolerance?: Duration;
}): Verification {
  const keys = readKeys(options, { scheme: "sendgrid", option: "publicKey", create: createKey });
  checkNames(options, "sendgrid", ["publicKey", "tolerance"]);
  const toleranceMs = readTolerance(options.tolerance, "sendgrid");
  return createVerification(
    {
      name: "sendgrid",
      bodies: ["json"],
      signatureHeader: () => signatureHeader,
      form: "a DER signature in base64",
      readSignatures: (header) => [readSignature(header)],
      signed({ header, body }) {
        const time = header(timeHeader);
        return time === null ? fault("malformed", `The header ${timeHeader} is missing (sendgrid).`) : [time, body];
      },
      time: { source: timeHeader, toleranceMs, read: ({ header }) => readSeconds(header(timeHeader)) },
      explainMismatch: () => "The public key is that of another webhook, or a proxy changed the request.",
      options: { toleranceMs },
    },
    keys,
  );
}

/** A DER sequence of two integers of at most 33 bytes each. */
function readSignature(text: string): Uint8Array | null {
  const bytes = fromBase64(text);
  return bytes !== null && bytes.length >= 8 && bytes.length <= 72 && bytes[0] === 0x30 ? bytes : null;
}

function createKey(text: string): Key | string {
  const key = readPublicKey(text);
  if (key?.asymmetricKeyDetails?.namedCurve !== "prime256v1") return "is not a P-256 public key in base64";
  return {
    accepts(content, signatures) {
      const signed = Buffer.concat(content.map((part) => Buffer.from(part)));
      return signatures.map((signature) => verify("sha256", signed, key, signature)).includes(true);
    },
    fingerprint: () => text,
  };
}

function readPublicKey(text: string): KeyObject | null {
  const bytes = fromBase64(text);
  try {
    return bytes && createPublicKey({ key: Buffer.from(bytes), format: "der", type: "spki" });
  } catch {
    return null;
  }
}
