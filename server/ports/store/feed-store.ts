import type { DeliverySummary } from "../../contract/delivery.ts";

/** A position in the order in which deliveries were committed. */
export interface FeedPosition {
  /** Later commits have higher numbers. Not every number is used. 0: before the first delivery. */
  number: number;
  /** The delivery at this position; `null`: none, before the first delivery. */
  deliveryId: string | null;
}

export interface FeedEntry {
  position: FeedPosition;
  delivery: DeliverySummary;
  /** As received; `null`: not stored. */
  body: Uint8Array | null;
}

export interface FeedPage {
  entries: FeedEntry[];
  /** The last position that was read. Deliveries of other endpoints are not among the entries. */
  end: FeedPosition;
  /** Whether nothing follows `end` at the moment. */
  isAtEnd: boolean;
}

/**
 * Deliveries in the order of their commits. A position is returned only when no delivery can be committed before it any
 * more. So a reader that continues after the last one misses no delivery, and gets none twice.
 */
export interface FeedStore {
  /**
   * The position before the first delivery that was received at or after `since`. `null`: the newest position, so only
   * later deliveries follow.
   */
  findFeedStart(since: number | null): Promise<FeedPosition>;
  /**
   * The next deliveries to these endpoints; `null`: to all. Some thousand at most are examined, and some MiB of bodies
   * at most are returned.
   */
  readFeed(p: { after: FeedPosition; endpoints: readonly string[] | null }): Promise<FeedPage>;
  /** Whether this store can have given out the position: no other delivery is there, and it does not lie ahead. */
  hasFeedPosition(position: FeedPosition): Promise<boolean>;
}
