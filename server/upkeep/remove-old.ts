import { minKeyRetentionMs } from "../domain/idempotency.ts";
import type { UpkeepBatch, UpkeepStore } from "../ports/upkeep-store.ts";
import type { DeliveryStore } from "../ports/store.ts";

const hourMs = 60 * 60 * 1000;
const dayMs = 24 * hourMs;
/** Workers not seen for this long are removed. */
const workersKeptMs = dayMs;

export interface Retention {
  days: number | null;
  deliveries: number | null;
  auditDays: number | null;
}

export interface RemovedRows {
  deliveries: number;
  runs: number;
  keys: number;
  counters: number;
  workers: number;
  auditEntries: number;
  signIns: number;
  verdictLists: number;
}

/**
 * Removes data beyond the retention settings and obsolete data, in small transactions with a pause after each. An
 * idempotency key is removed when no source can use it any more. If that is unknown (`maxDedupeMs: null`), nothing is
 * removed that a key may refer to.
 */
export async function removeOld(p: {
  store: UpkeepStore & Pick<DeliveryStore, "removeUnusedVerdicts">;
  retention: Retention;
  maxDedupeMs: number | null;
  now: number;
  /** `false` means stop. The next run starts from the beginning without any loss. */
  pause: (tookMs: number) => Promise<boolean>;
}): Promise<RemovedRows> {
  const { store, retention, now, pause } = p;
  const keysSince =
    p.maxDedupeMs === null ? Number.NEGATIVE_INFINITY : now - Math.max(minKeyRetentionMs, p.maxDedupeMs);
  const byAge = retention.days === null ? null : now - retention.days * dayMs;
  const byCount = retention.deliveries === null ? null : await store.findOldestOf(retention.deliveries);
  const removed: RemovedRows = {
    deliveries: 0,
    runs: 0,
    keys: 0,
    counters: 0,
    workers: 0,
    auditEntries: 0,
    signIns: 0,
    verdictLists: 0,
  };
  let goesOn = true;

  async function walk<Place>(
    what: keyof RemovedRows,
    batch: (after: Place | null) => Promise<UpkeepBatch<Place>>,
  ): Promise<void> {
    for (let after: Place | null = null; goesOn;) {
      const began = performance.now();
      const { removed: rows, next } = await batch(after);
      removed[what] += rows;
      goesOn = await pause(performance.now() - began);
      if (next === null) return;
      after = next;
    }
  }

  const before = Math.max(byAge ?? 0, byCount ?? 0);
  if (before > 0) {
    await walk("deliveries", (after: { at: number; id: string } | null) =>
      store.removeOldDeliveries({ before, keysSince, after }),
    );
    await walk("runs", (after: { at: number; id: string } | null) => store.removeOldRuns({ before, after }));
  }
  if (Number.isFinite(keysSince))
    await walk("keys", (after: { endpoint: string; key: string } | null) =>
      store.removeOldKeys({ before: keysSince, after }),
    );
  if (byAge !== null)
    await walk("counters", (after: { bucketMs: number; endpoint: string; attachmentId: string } | null) =>
      store.removeOldCounters({ before: byAge, after }),
    );
  const { auditDays } = retention;
  if (auditDays !== null) await walk("auditEntries", () => store.removeOldAudit({ before: now - auditDays * dayMs }));
  await walk("signIns", () => store.removeExpiredSignIns({ before: now }));
  if (goesOn) removed.workers = await store.removeOldWorkers(now - workersKeptMs);
  if (goesOn && removed.deliveries > 0) removed.verdictLists = await store.removeUnusedVerdicts();
  while (goesOn && (await store.releaseSpace())) goesOn = await pause(0);
  return removed;
}
