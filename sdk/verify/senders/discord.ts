import { checkNames } from "../../check-shape.ts";
import { isRecord } from "../body.ts";
import { Buffer } from "node:buffer";
import { createPublicKey, verify } from "node:crypto";
import type { SenderAnswer } from "../../definition.ts";
import type { Duration } from "../../duration.ts";
import { fromHex, type Key, readKeys, type Secret } from "../secrets.ts";
import {
  createVerification,
  fault,
  jsonAnswer,
  readSeconds,
  readTolerance,
  type Verification,
} from "../verification.ts";

const timeHeader = "x-signature-timestamp";

/**
 * Verifies webhook events and interactions of Discord: the header `x-signature-ed25519` signs `x-signature-timestamp`
 * and the body (Ed25519). Signalbox answers both kinds of PING without starting a run. `tolerance` is the maximum clock
 * difference. Default: 5 minutes. Throws a TypeError if an option is invalid.
 * https://docs.discord.com/developers/events/webhook-events
 *
 * @example
 *   import { discord } from "signalbox/verify";
 *
 *   verify: discord({ publicKey: process.env.DISCORD_PUBLIC_KEY });
 */
export function discord(options: {
  /** The public key of the application: 64 hexadecimal digits; a list during a rotation. */
  publicKey: Secret;
  tolerance?: Duration;
}): Verification {
  const keys = readKeys(options, { scheme: "discord", option: "publicKey", create: createKey });
  checkNames(options, "discord", ["publicKey", "tolerance"]);
  const toleranceMs = readTolerance(options.tolerance, "discord");
  return createVerification(
    {
      name: "discord",
      bodies: ["json"],
      signatureHeader: () => "x-signature-ed25519",
      form: "128 hexadecimal digits",
      readSignatures: (header) => [fromHex(header, 64)],
      signed({ header, body }) {
        const time = header(timeHeader);
        return time === null ? fault("malformed", `The header ${timeHeader} is missing (discord).`) : [time, body];
      },
      time: { source: timeHeader, toleranceMs, read: ({ header }) => readSeconds(header(timeHeader)) },
      explainMismatch: () => "The public key is that of another application, or a proxy changed the request.",
      answer: answerPing,
      options: { toleranceMs },
    },
    keys,
  );
}

function createKey(text: string): Key | string {
  const bytes = fromHex(text, 32);
  if (bytes === null) return "is not 64 hexadecimal digits";
  const x = Buffer.from(bytes).toString("base64url");
  const key = createPublicKey({ key: { kty: "OKP", crv: "Ed25519", x }, format: "jwk" });
  return {
    accepts(content, signatures) {
      const signed = Buffer.concat(content.map((part) => Buffer.from(part)));
      return signatures.map((signature) => verify(null, signed, key, signature)).includes(true);
    },
    fingerprint: () => text.toLowerCase(),
  };
}

/** The PING of webhook events has type 0, that of interactions type 1, which is an event elsewhere. */
function answerPing(body: unknown): SenderAnswer | null {
  if (!isRecord(body)) return null;
  if (body["type"] === 0) return { status: 204, contentType: null, body: "" };
  return body["type"] === 1 && !("event" in body) ? jsonAnswer({ type: 1 }) : null;
}
