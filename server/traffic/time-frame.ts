import type { Window } from "../contract/traffic.ts";
import type { TrafficWindow } from "../ports/store/traffic-store.ts";

/**
 * A period divided into equal buckets: `since` is the start of the first, `until` the end of the last. UTC
 * milliseconds.
 */
export interface TimeFrame {
  since: number;
  until: number;
  bucketMs: number;
}

const minute = 60_000;
const hour = 3_600_000;
const day = 24 * hour;

const windows: Record<Window, { bucketMs: number; buckets: number }> = {
  "15m": { bucketMs: minute, buckets: 15 },
  "1h": { bucketMs: 2 * minute, buckets: 30 },
  "24h": { bucketMs: hour, buckets: 24 },
  "7d": { bucketMs: 6 * hour, buckets: 28 },
};

/** The window that ends now. Aligned, so that its numbers are those of whole buckets; the last one is still filling. */
export function frameOfWindow(window: Window, now: number): TimeFrame {
  const { bucketMs, buckets } = windows[window];
  const until = Math.floor(now / bucketMs) * bucketMs + bucketMs;
  return { since: until - buckets * bucketMs, until, bucketMs };
}

const sizes = [1, 2, 5, 10, 15, 30]
  .map((minutes) => minutes * minute)
  .concat(
    [1, 2, 3, 6, 12].map((hours) => hours * hour),
    [1, 2, 7, 14, 30, 90, 365].map((days) => days * day),
  );
const maxBuckets = 60;

/** The frame of at most 60 buckets that covers `since` to `until`; its buckets are no shorter than `minBucketMs`. */
export function frameOfRange(since: number, until: number, minBucketMs = minute): TimeFrame {
  const sizeFor = (ms: number) => Math.ceil(until / ms) - Math.floor(since / ms);
  const bucketMs =
    sizes.find((ms) => ms >= minBucketMs && sizeFor(ms) <= maxBuckets) ??
    Math.ceil((until - since) / (maxBuckets - 1) / day) * day;
  return { since: Math.floor(since / bucketMs) * bucketMs, until: Math.ceil(until / bucketMs) * bucketMs, bucketMs };
}

/** The stored bucket size from which this frame's buckets are computed. */
export function storedBuckets(frame: TimeFrame): TrafficWindow {
  return { since: frame.since, until: frame.until, bucketMs: frame.bucketMs % hour === 0 ? hour : minute };
}

/** The starts of all buckets of a frame, oldest first. */
export function bucketStarts({ since, until, bucketMs }: TimeFrame): number[] {
  return Array.from({ length: Math.round((until - since) / bucketMs) }, (_, index) => since + index * bucketMs);
}
