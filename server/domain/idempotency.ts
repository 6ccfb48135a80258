import { createHash } from "node:crypto";
import type { Dedupe } from "../contract/dedupe.ts";
import type { Json } from "../contract/json.ts";
import { fromPointer, valueAt } from "./json-pointer.ts";

/** How long a key is remembered after it was accepted, unless the source says otherwise. */
const usualWindowMs = 24 * 60 * 60 * 1000;

/** Headers that name an event, the first one wins: the IETF draft's, then that of Standard Webhooks. */
const headerNames = ["idempotency-key", "webhook-id"];

/** What a delivery is remembered by. */
export interface Idempotency {
  /** Hashed, so that a name may have any length. */
  key: string;
  notBefore: number;
  /** Whether another body under the same key is the same event still. */
  mayDiffer: boolean;
}

/**
 * What names the event of a delivery: what the source says in `dedupe`, else the usual headers; `null` when it has no name. A field of the
 * body names its event whatever else the body says: senders count attempts there, or note when they sent it. A header is said to come
 * with equal bytes.
 */
export function idempotencyOf(p: { header: (name: string) => string | null; body: Json; dedupe: Dedupe | null; receivedAt: number }): Idempotency | null {
  const own = p.dedupe && ownName(p.dedupe, p);
  if (own) return { key: hash(own), notBefore: p.receivedAt - (p.dedupe?.windowMs ?? usualWindowMs), mayDiffer: p.dedupe?.field !== null };
  const name = headerNames.map((header) => nameIn(header, p)).find((found) => found !== null);
  return name ? { key: hash(name), notBefore: p.receivedAt - usualWindowMs, mayDiffer: false } : null;
}

function ownName({ header, field }: Dedupe, p: { header: (name: string) => string | null; body: Json }): string | null {
  if (header !== null) return nameIn(header, p);
  const value = field === null ? undefined : valueAt(p.body, fromPointer(field));
  // Past the safe integers, numbers that were sent as different ones are read as the same.
  const isName = (typeof value === "string" && value !== "") || Number.isSafeInteger(value);
  return isName ? `field ${field}:${JSON.stringify(value)}` : null;
}

function nameIn(header: string, p: { header: (name: string) => string | null }): string | null {
  const value = p.header(header)?.trim();
  return value ? `${header}:${value}` : null;
}

function hash(name: string): string {
  return createHash("sha256").update(name).digest("hex");
}
