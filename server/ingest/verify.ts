import type { SignedEvent, SignedRequest } from "../../sdk/definition.ts";
import { AppError } from "../contract/app-error.ts";
import type { Json } from "../contract/json.ts";
import type { TriggerSource } from "../ports/project.ts";

/**
 * Checks the signature over the bytes as received, and returns the signed content; `null` if no signature is required.
 * In development, requests without a signature are accepted, as they are without a key; requests with an invalid
 * signature are not. Throws AppError `invalid_signature`.
 */
export function verify(
  triggers: readonly TriggerSource[],
  request: SignedRequest,
  p: { mayBeUnsigned: boolean },
): SignedEvent | null {
  const verification = triggers[0]?.verify;
  const fault = verification?.check(request);
  if (!verification || (fault?.kind === "unsigned" && p.mayBeUnsigned)) return null;
  if (fault) throw new AppError("invalid_signature", fault.detail);
  return verification.readSigned(request);
}

/** The response to a verification request of the sender (Slack's `url_verification`); `null`: the body is an event. */
export function answerToChallenge(triggers: readonly TriggerSource[], body: Json): object | null {
  const answer = triggers[0]?.verify?.answer(body);
  return typeof answer === "object" ? answer : null;
}
