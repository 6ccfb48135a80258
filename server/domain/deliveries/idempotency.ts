import { createHash } from "node:crypto";
import type { SignedEvent } from "../../../sdk/definition.ts";
import type { Dedupe } from "../../contract/project/endpoint.ts";
import type { Json } from "../../contract/json.ts";
import { fromPointer, valueAt } from "../../shared/json/json-pointer.ts";

/** The default time for which a key is remembered after it was accepted: a day. */
const defaultWindowMs = 24 * 60 * 60 * 1000;

/**
 * The minimum time for which keys are kept, so that no signature outlives its key: a signed time may differ by up to a
 * day, in both directions.
 */
export const minKeyRetentionMs = 2 * defaultWindowMs;

/** Headers that name an event. The first one takes precedence: the IETF draft's, then that of Standard Webhooks. */
const defaultHeaders = ["idempotency-key", "webhook-id"];

/** The key that identifies repeated deliveries of an event. */
export interface Idempotency {
  /** Hashed, so that a name may have any length. */
  key: string;
  notBefore: number;
  /** Whether the same event may have another body. */
  mayDiffer: boolean;
}

/**
 * The identity of the event of a delivery; `null`: none. The field or header of `dedupe` comes first, then the usual
 * headers. If the request has a valid signature (`signed`), only signed content counts: a replay can change all other
 * headers. Nearly every scheme signs the body. A request whose signed names identify nothing is identified by its
 * signed content. A field identifies its event even if the rest of the body differs: senders count attempts there, or
 * note the time of sending. A header is expected to come with equal bytes.
 */
export function idempotencyOf(p: {
  header: (name: string) => string | null;
  body: Json;
  dedupe: Dedupe | null;
  receivedAt: number;
  signed: SignedEvent | null;
}): Idempotency | null {
  const notBefore = p.receivedAt - Math.max(p.dedupe?.windowMs ?? defaultWindowMs, p.signed?.validMs ?? 0);
  const field = p.signed?.coversBody === false ? null : fieldName(p.dedupe?.field ?? null, p.body);
  if (field !== null) return { key: hash(field), notBefore, mayDiffer: true };
  const read = p.signed ? p.signed.header : p.header;
  for (const header of p.dedupe?.header ? [p.dedupe.header, ...defaultHeaders] : defaultHeaders) {
    const name = headerName(header, read);
    if (name !== null) return { key: hash(name), notBefore, mayDiffer: false };
  }
  return p.signed ? { key: hash(`signed:${p.signed.contentHash()}`), notBefore, mayDiffer: true } : null;
}

function fieldName(field: string | null, body: Json): string | null {
  const value = field === null ? undefined : valueAt(body, fromPointer(field));
  // Beyond the safe integers, different numbers in the body are parsed as the same number.
  const isName = (typeof value === "string" && value !== "") || Number.isSafeInteger(value);
  return isName ? `field ${field}:${JSON.stringify(value)}` : null;
}

function headerName(header: string, read: (name: string) => string | null): string | null {
  const value = read(header)?.trim();
  return value ? `${header}:${value}` : null;
}

function hash(name: string): string {
  return createHash("sha256").update(name).digest("hex");
}
