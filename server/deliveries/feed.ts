import { AppError } from "../contract/app-error.ts";
import type { DeliverySummary } from "../contract/delivery.ts";
import type { ErrorCode } from "../contract/error-codes.ts";
import type { FedDelivery } from "../contract/feed.ts";
import { ownHeaders } from "../contract/own-headers.ts";
import type { Clock } from "../ports/clock.ts";
import type { Store } from "../ports/store.ts";
import { watchChanges } from "../ports/watch-changes.ts";
import type { FeedEntry, FeedPosition, FeedStore } from "../ports/store/feed-store.ts";

/** A position from which a reader of the feed continues. */
interface FeedCursor extends FeedPosition {
  /** The deliveries that follow were received at or after this time. */
  since: number;
}

export type FeedEvent =
  | { type: "delivery"; cursor: string; delivery: FedDelivery }
  /** The reader has everything before this cursor. */
  | { type: "position"; cursor: string };

interface FeedDeps {
  store: FeedStore & Pick<Store, "watch">;
  clock: Clock;
}

/** After this silence, the reader gets its position again. */
const silenceMs = 10_000;
/** Access is checked again at most this often. */
const recheckMs = 1_000;

/**
 * The position at which a reader starts: after its cursor, at the first delivery since a time, or at the next delivery.
 * `removedBefore`: deliveries received before this time may have been removed. Throws AppError `cursor_expired` or
 * `invalid_request`.
 */
export async function findFeedStart(
  { store, clock }: Pick<FeedDeps, "store" | "clock">,
  p: { cursor: string | null; since: number | null; removedBefore: number },
): Promise<FeedCursor> {
  if (p.cursor === null) return { ...(await store.findFeedStart(p.since)), since: p.since ?? clock.now() };
  const cursor = decodeCursor(p.cursor);
  if (cursor.since < p.removedBefore)
    throw new AppError(
      "cursor_expired",
      `The cursor is of ${new Date(cursor.since).toISOString()}. Retention has removed deliveries up to ${new Date(p.removedBefore).toISOString()}, so some would be missing.`,
    );
  if (await store.hasFeedPosition(cursor)) return cursor;
  throw new AppError("cursor_expired", "The cursor is of another store: the store of this service was replaced.");
}

/**
 * The deliveries after a position, in the order of their commits, until `signal` is aborted. First and after each
 * silence comes the position, so that a reader can continue there. Reads only as fast as the consumer. `isPermitted` is
 * asked again and again: the feed ends when it returns `false`.
 */
export async function* followFeed(
  { store, clock }: FeedDeps,
  p: {
    from: FeedCursor;
    endpoints: readonly string[] | null;
    isPermitted: () => Promise<boolean>;
    signal: AbortSignal;
  },
): AsyncGenerator<FeedEvent, void> {
  const { endpoints, signal } = p;
  const changes = watchChanges(store, signal);
  let { number, deliveryId, since } = p.from;
  let checkedAt = performance.now();
  /** Of the last event. */
  let sentAt = performance.now();
  let change: Promise<void> | null = null;
  try {
    yield { type: "position", cursor: encodeCursor({ number, deliveryId, since }) };
    while (!signal.aborted) {
      if (performance.now() - checkedAt > recheckMs) {
        if (!(await p.isPermitted())) return;
        checkedAt = performance.now();
      }
      const readAt = clock.now();
      const page = await store.readFeed({ after: { number, deliveryId }, endpoints });
      for (const entry of page.entries) {
        const event = toEvent(entry);
        if (!event) continue;
        yield event;
        sentAt = performance.now();
      }
      ({ number, deliveryId } = page.end);
      const waitMs = sentAt + silenceMs - performance.now();
      if (page.isAtEnd) {
        since = readAt;
        change ??= changes.next();
        if (waitMs > 0 && (await endsWithin(change, waitMs))) {
          change = null;
          continue;
        }
      } else if (waitMs > 0) continue;
      // Deliveries to other endpoints end no silence.
      yield { type: "position", cursor: encodeCursor({ number, deliveryId, since }) };
      sentAt = performance.now();
    }
  } finally {
    changes.stop();
  }
}

async function endsWithin(waiting: Promise<void>, ms: number): Promise<boolean> {
  let timer: NodeJS.Timeout | undefined;
  const silence = new Promise<false>((resolve) => {
    timer = setTimeout(() => resolve(false), ms);
  });
  try {
    return await Promise.race([waiting.then(() => true), silence]);
  } finally {
    clearTimeout(timer);
  }
}

function toEvent({ position, delivery, body }: FeedEntry): FeedEvent | null {
  if (body === null || !isFed(delivery)) return null;
  const cursor = encodeCursor({ ...position, since: Date.parse(delivery.receivedAt) });
  const bytes = Buffer.from(body.buffer, body.byteOffset, body.length);
  return { type: "delivery", cursor, delivery: { ...delivery, body: bytes.toString("base64") } };
}

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

function encodeCursor({ number, deliveryId, since }: FeedCursor): string {
  return `${number}.${deliveryId ?? ""}.${since}`;
}

const cursorPattern = /^(\d{1,15})\.(dlv_\w{1,40})?\.(\d{1,15})$/;

function decodeCursor(text: string): FeedCursor {
  const [matched, number, deliveryId = null, since] = cursorPattern.exec(text) ?? [];
  if (matched !== undefined) return { number: Number(number), deliveryId, since: Number(since) };
  throw new AppError("invalid_request", "The cursor is invalid. Start again without one.", {
    errors: [{ pointer: "/cursor", code: "invalid_cursor", message: "Invalid cursor" }],
  });
}
