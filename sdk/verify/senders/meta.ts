import { checkNames } from "../../check-shape.ts";
import { fromHex, readSecrets, readTokens, type Secret, textKey } from "../secrets.ts";
import { type Verification, createVerification, fault, missingSecret, writeHex } from "../verification.ts";

const maxChallenge = 1000;

/**
 * Verifies webhooks of Meta (Facebook, Instagram, WhatsApp, Messenger): the header `x-hub-signature-256` signs the body
 * with the app secret. Signalbox answers the verification request (`hub.challenge`) if it has your `verifyToken`.
 * Retries are recognised by the body. Throws a TypeError if an option is invalid.
 * https://developers.facebook.com/docs/graph-api/webhooks/getting-started
 *
 * @example
 *   import { meta } from "signalbox/verify";
 *
 *   verify: meta({ secret: process.env.META_APP_SECRET, verifyToken: process.env.META_VERIFY_TOKEN });
 */
export function meta(options: {
  /** The app secret; a list during a rotation. */
  secret: Secret;
  /** The text that you enter as "Verify token" in the app's dashboard, at least 16 bytes. */
  verifyToken: Secret;
}): Verification {
  const secrets = readSecrets(options, { scheme: "meta", decode: textKey });
  checkNames(options, "meta", ["secret", "verifyToken"]);
  const tokens = readTokens(options, "meta", "verifyToken");
  return createVerification(
    {
      name: "meta",
      bodies: ["json"],
      signatureHeader: () => "x-hub-signature-256",
      form: "sha256= and 64 hexadecimal digits",
      readSignatures: (header) => [header.startsWith("sha256=") ? fromHex(header.slice(7), 32) : null],
      signed: ({ body }) => [body],
      seal: { write: (signature) => `sha256=${writeHex(signature)}` },
      greet({ method, target }) {
        if (method !== "GET" || !target.includes("hub.")) return null;
        const query = new URLSearchParams(target.split("?", 2)[1]);
        const challenge = query.get("hub.challenge");
        if (query.get("hub.mode") !== "subscribe" || challenge === null) return null;
        if (tokens.problem) return missingSecret("meta", tokens.problem);
        const given = textKey(query.get("hub.verify_token") ?? "");
        if (!tokens.keys.map((key) => key.accepts([], [given])).includes(true))
          return fault("mismatch", "hub.verify_token is not the verifyToken of the endpoint (meta).");
        return challenge.length > maxChallenge
          ? fault("malformed", `hub.challenge is longer than ${maxChallenge} characters (meta).`)
          : { status: 200, contentType: "text/plain", body: challenge };
      },
      options: tokens.keys.map((key) => key.fingerprint()),
    },
    secrets.problem ? secrets : { keys: secrets.keys, problem: tokens.problem },
  );
}
