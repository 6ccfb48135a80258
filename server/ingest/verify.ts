import { AppError } from "../contract/app-error.ts";
import type { Json } from "../contract/json.ts";
import type { TriggerSource } from "../ports/project.ts";
import type { Arrival } from "./arrival.ts";

/**
 * Checks the signature over the bytes as they came. In development what bears no signature is let in, as it is without a key: a bad one is
 * not. Throws AppError `invalid_signature`.
 */
export function verify(triggers: readonly TriggerSource[], { headers, receivedAt }: Pick<Arrival, "headers" | "receivedAt">, p: { body: Uint8Array; mayBeUnsigned: boolean }): void {
  const fault = triggers[0]?.verify?.check({ body: p.body, receivedAtMs: receivedAt, header: (name) => headers.get(name)?.join(", ") ?? null });
  if (!fault || (fault.kind === "unsigned" && p.mayBeUnsigned)) return;
  throw new AppError("invalid_signature", fault.detail);
}

/** What the sender wants to be told of this body before it sends events (Slack's `url_verification`); `null`: it is an event. */
export function answerToChallenge(triggers: readonly TriggerSource[], body: Json): object | null {
  const answer = triggers[0]?.verify?.answer(body);
  return typeof answer === "object" ? answer : null;
}
