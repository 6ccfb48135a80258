import type { DeliverySummary } from "../../contract/delivery.ts";
import { ownHeaders } from "../../contract/own-headers.ts";
import type { ErrorCode } from "../../contract/error-codes.ts";

/** Rejections of requests that were authenticated, verified and read: only their content was rejected. */
const contentCodes: ReadonlySet<string> = new Set<ErrorCode>([
  "invalid_json",
  "invalid_body",
  "request_mismatch",
  "idempotency_conflict",
]);

/**
 * Whether the feed has a delivery: an event that its sender sent for the first time, authenticated and with a valid
 * signature, and whose body is stored. Another service can then evaluate it without keys and secrets. A repeat, a
 * handshake and a forged request are no such events.
 */
export function isFed(delivery: Pick<DeliverySummary, "outcome" | "problem" | "headers">): boolean {
  const { outcome, problem, headers } = delivery;
  if (outcome === "repeated" || headers[ownHeaders.handshake] !== undefined) return false;
  return outcome !== "rejected" || contentCodes.has(problem?.code ?? "");
}
