import { formatBytes } from "../shared/format.ts";
import type { Logger } from "../ports/logger.ts";
import type { UpkeepCursor, UpkeepStore } from "../ports/store/upkeep-store.ts";

/** Maximum size of the data in MB, or three quarters of the store's disk. */
export type MaxSize = number | "disk";

const shareOfDisk = 0.75;
/** Removal continues until the data is this much smaller, so that it does not begin again at once. */
const shareAfter = 0.9;
/** Data of the last hour is never removed for its size: what a flood pushes out was kept at least this long. */
const minKeptMs = 60 * 60 * 1000;

type SizedStore = Pick<UpkeepStore, "readSize" | "removeOldDeliveries" | "removeOldRuns" | "saveRemovedBefore">;

export function maxBytesOf(size: MaxSize, diskBytes: number): number {
  return size === "disk" ? diskBytes * shareOfDisk : size * 1_000_000;
}

/**
 * If the data of the store is larger than its maximum, removes ended runs and their deliveries, oldest first. It
 * records the time up to which they are removed.
 */
export async function removeBySize(p: {
  store: SizedStore;
  maxSize: MaxSize | null;
  /** Deliveries with an idempotency key accepted since then are kept. */
  keysSince: number;
  now: number;
  /** `false` means stop. */
  pause: (tookMs: number) => Promise<boolean>;
  logger: Logger;
}): Promise<void> {
  const { store, maxSize, keysSince } = p;
  const size = maxSize === null ? null : await store.readSize();
  if (maxSize === null || size === null) return;
  const maxBytes = maxBytesOf(maxSize, size.diskBytes);
  if (size.usedBytes <= maxBytes) return;

  const before = p.now - minKeptMs;
  const removed = { deliveries: 0, runs: 0 };
  let after: UpkeepCursor | null = null;
  let afterRun: UpkeepCursor | null = null;
  let { usedBytes } = size;
  let removedBefore = 0;
  let canContinue = true;
  let hasMore = true;
  while (canContinue && hasMore && usedBytes > maxBytes * shareAfter) {
    const began = performance.now();
    if (removedBefore < before) {
      const { removed: rows, next } = await store.removeOldDeliveries({ before, keysSince, after });
      removed.deliveries += rows;
      after = next;
      removedBefore = next?.at ?? before;
    }
    // Runs without a delivery, up to the same time.
    const { removed: rows, next } = await store.removeOldRuns({ before: removedBefore, after: afterRun });
    removed.runs += rows;
    afterRun = next ?? afterRun;
    hasMore = removedBefore < before || next !== null;
    await store.saveRemovedBefore(removedBefore);
    usedBytes = (await store.readSize())?.usedBytes ?? 0;
    canContinue = await p.pause(performance.now() - began);
  }
  const isStillLarge = canContinue && usedBytes > maxBytes;
  p.logger.warn(
    isStillLarge
      ? "the store is larger than retentionMb, and what is left cannot be removed yet"
      : "the store was larger than retentionMb: the oldest deliveries and runs were removed",
    {
      ...removed,
      before: new Date(removedBefore).toISOString(),
      size: formatBytes(usedBytes),
      max: formatBytes(maxBytes),
    },
  );
}
