import type { Duration } from "../definition.ts";
import { fromHex } from "./encodings.ts";
import { type Secret, readSecrets, textKey } from "./secrets.ts";
import { type Verification, createVerification, fault, readSeconds, readTolerance } from "./verification.ts";

const timeHeader = "x-slack-request-timestamp";

/**
 * Events of Slack, signed in `x-slack-signature` with the app's signing secret, over `x-slack-request-timestamp` and
 * the body. The challenge by which Slack asks whether the URL is yours (`url_verification`) is answered; it starts
 * nothing. `tolerance` 5 minutes unless told. Repeats are named by the event: add `dedupe: { field: "/event_id" }`.
 * https://docs.slack.dev/authentication/verifying-requests-from-slack
 *
 * @example
 *   verify: slack({ secret: process.env.SLACK_SECRET });
 */
export function slack(options: { secret: Secret; tolerance?: Duration }): Verification {
  const secrets = readSecrets(options, { scheme: "slack", decode: textKey });
  const toleranceMs = readTolerance(options.tolerance, "slack");
  return createVerification(
    {
      name: "slack",
      hash: "sha256",
      signatureHeader: () => "x-slack-signature",
      form: "v0= and 64 hexadecimal digits",
      readSignatures: (header) => [header.startsWith("v0=") ? fromHex(header.slice(3), 32) : null],
      signed: ({ header, body }) => {
        const time = header(timeHeader);
        return time === null
          ? fault("malformed", `The header ${timeHeader} is missing (slack).`)
          : ["v0:", time, ":", body];
      },
      time: { place: timeHeader, toleranceMs, read: ({ header }) => readSeconds(header(timeHeader)) },
      answer: answerChallenge,
      options: { toleranceMs },
    },
    secrets,
  );
}

function answerChallenge(body: unknown): unknown {
  if (typeof body !== "object" || body === null || !("type" in body) || body.type !== "url_verification") return null;
  return "challenge" in body && typeof body.challenge === "string" ? { challenge: body.challenge } : null;
}
