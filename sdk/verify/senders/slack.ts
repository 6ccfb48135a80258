import { checkNames } from "../../check-shape.ts";
import type { SenderAnswer } from "../../definition.ts";
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

const timeHeader = "x-slack-request-timestamp";

/**
 * Verifies Slack events: the header `x-slack-signature` signs `x-slack-request-timestamp` and the body with the app's
 * signing secret. Signalbox answers Slack's URL challenge (`url_verification`) without starting a run. `tolerance` is
 * the maximum clock difference. Default: 5 minutes. To recognise retries, add `dedupe: { field: "/event_id" }`. Throws
 * a TypeError if an option is invalid. https://docs.slack.dev/authentication/verifying-requests-from-slack
 *
 * @example
 *   import { slack } from "signalbox/verify";
 *
 *   verify: slack({ secret: process.env.SLACK_SECRET });
 */
export function slack(options: { secret: Secret; tolerance?: Duration }): Verification {
  const secrets = readSecrets(options, { scheme: "slack", decode: textKey });
  checkNames(options, "slack", ["secret", "tolerance"]);
  const toleranceMs = readTolerance(options.tolerance, "slack");
  return createVerification(
    {
      name: "slack",
      signatureHeader: () => "x-slack-signature",
      form: "v0= and 64 hexadecimal digits",
      readSignatures: (header) => [header.startsWith("v0=") ? fromHex(header.slice(3), 32) : null],
      signed: ({ header, body }) => {
        const time = header(timeHeader);
        return time === null
          ? fault("malformed", `The header ${timeHeader} is missing (slack).`)
          : ["v0:", time, ":", body];
      },
      seal: {
        headers: ({ receivedAtMs }) => ({ [timeHeader]: writeSeconds(receivedAtMs) }),
        write: (signature) => `v0=${writeHex(signature)}`,
      },
      time: { source: timeHeader, toleranceMs, read: ({ header }) => readSeconds(header(timeHeader)) },
      answer: answerChallenge,
      options: { toleranceMs },
    },
    secrets,
  );
}

function answerChallenge(body: unknown): SenderAnswer | null {
  if (typeof body !== "object" || body === null || !("type" in body) || body.type !== "url_verification") return null;
  return "challenge" in body && typeof body.challenge === "string" ? jsonAnswer({ challenge: body.challenge }) : null;
}
