import type { DeliverySummary } from "../../contract/delivery.ts";

/** A place in the order in which deliveries were committed. */
export interface FeedPosition {
  /** Later commits have higher numbers. Not every number is used. 0: before the first delivery. */
  number: number;
  /** The delivery at this place; `null`: none, before the first delivery. */
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
  /** The last place that was read. Deliveries of other endpoints are not among the entries. */
  end: FeedPosition;
  /** Whether nothing follows `end` at the moment. */
  isAtEnd: boolean;
}

/**
 * Deliveries in the order of their commits. A place is given out only when no delivery can be committed before it any
 * more, so a reader that continues after the last place misses none, and gets none twice.
 */
export interface FeedStore {
  /**
   * The place before the first delivery that was received at or after `since`. `null`: the newest place, so only later
   * deliveries follow.
   */
  findFeedStart(since: number | null): Promise<FeedPosition>;
  /** The next deliveries: some thousand at most are examined, and some MiB of bodies at most are returned. */
  readFeed(p: { after: FeedPosition; endpoint: string | null }): Promise<FeedPage>;
  /** Whether this store can have given out the place: no other delivery is there, and it does not lie ahead. */
  hasFeedPosition(position: FeedPosition): Promise<boolean>;
}
