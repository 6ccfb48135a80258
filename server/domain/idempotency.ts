import { hash } from "node:crypto";

/** How long a key is remembered after it was accepted. */
export const idempotencyWindowMs = 24 * 60 * 60 * 1000;

/** Headers that name an event, the first one wins: the IETF draft's, then that of Standard Webhooks. */
const headerNames = ["idempotency-key", "webhook-id"];

/** What a delivery is remembered by; `null` when the sender named nothing. Hashed, so that a name may have any length. */
export function idempotencyKeyOf(headers: ReadonlyMap<string, readonly string[]>): string | null {
  for (const name of headerNames) {
    const value = headers.get(name)?.join(", ").trim();
    if (value) return hash("sha256", `${name}:${value}`);
  }
  return null;
}
