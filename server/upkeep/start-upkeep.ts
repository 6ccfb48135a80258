import { minKeyRetentionMs } from "../domain/deliveries/idempotency.ts";
import { startKeyWindowMs } from "../domain/runs/start-key.ts";
import { type ClockWatch, findJump, watchClock } from "../domain/clock-watch.ts";
import { formatDuration } from "../shared/format.ts";
import { type Clock, elapsedMs } from "../ports/clock.ts";
import type { Logger } from "../ports/logger.ts";
import type { AlertStore } from "../ports/store/alert-store.ts";
import type { ContractStore } from "../ports/store/contract-store.ts";
import type { DeliveryStore } from "../ports/store/delivery-store.ts";
import type { UpkeepBatch, UpkeepStore } from "../ports/store/upkeep-store.ts";
import { type MaxSize, removeBySize } from "./size-limit.ts";

const hourMs = 60 * 60 * 1000;
const dayMs = 24 * hourMs;
/** Workers not seen for this long are removed. */
const workersKeptMs = dayMs;
/** Alerts that ended this long ago are removed. */
const alertsKeptMs = 90 * dayMs;

/** Anyone can send requests without a valid key. The receiver records at most 64 MiB of them in this time. */
const unauthenticatedKeptMs = dayMs;

interface Retention {
  days: number | null;
  deliveries: number | null;
  maxSize: MaxSize | null;
  auditDays: number | null;
}

interface RemovedRows {
  unauthenticated: number;
  deliveries: number;
  runs: number;
  keys: number;
  counters: number;
  workers: number;
  auditEntries: number;
  signIns: number;
  alerts: number;
  contracts: number;
}

const firstAfterMs = 60_000;
const everyMs = 10 * 60_000;
/** Upkeep uses at most a sixth of the writable time. */
const pausePerMs = 5;
const minPauseMs = 20;

type Pause = (tookMs: number) => Promise<boolean>;

/** Runs upkeep of the store shortly after the start, then every ten minutes. */
export function startUpkeep(p: {
  store: Parameters<typeof removeOld>[0]["store"];
  retention: Retention;
  maxDedupeMs: () => Promise<number | null>;
  /** If several servers share the store, one of them runs upkeep. */
  isOurTurn: () => Promise<boolean>;
  /**
   * Records what has been received since the last time. It pauses like the removal, and stops if it resolves to
   * `false`.
   */
  updateContracts: (p: { textsSince: number | null; pause: Pause }) => Promise<void>;
  /** Removes the builds of this machine that nothing needs any more. Resolves to their versions. */
  removeOldBuilds: () => Promise<readonly string[]>;
  clock: Clock;
  logger: Logger;
}): { close(): Promise<void> } {
  const { store, retention, logger } = p;
  const stopping = new AbortController();
  let timer = setTimeout(begin, firstAfterMs).unref();
  let running: Promise<void> = Promise.resolve();
  let unauthenticatedSince = 0;
  let lastRead: { seenAt: number; elapsed: number } | null = null;

  function begin(): void {
    running = removeOnce()
      .then(compareOnce)
      .then(removeBuildsOnce)
      .finally(() => {
        if (!stopping.signal.aborted) timer = setTimeout(begin, everyMs).unref();
      });
  }

  async function removeOnce(): Promise<void> {
    try {
      if (!(await p.isOurTurn())) return;
      const isTrusted = await isClockTrusted();
      const maxDedupeMs = await p.maxDedupeMs();
      const now = p.clock.now();
      if (isTrusted) {
        const removed = await removeOld({ store, retention, maxDedupeMs, now, unauthenticatedSince, pause });
        unauthenticatedSince = now - unauthenticatedKeptMs;
        if (Object.values(removed).some((rows) => rows > 0)) logger.info("old data was removed", { ...removed });
      }
      const { maxSize } = retention;
      await removeBySize({ store, maxSize, keysSince: keysSinceOf(maxDedupeMs, now), now, pause, logger });
    } catch (error) {
      if (!stopping.signal.aborted) logger.warn("old data could not be removed; it will be retried", { error });
    }
  }

  /** By a clock that is ahead, all data is old. */
  async function isClockTrusted(): Promise<boolean> {
    const before = await store.readClockWatch();
    const elapsed = elapsedMs(p.clock);
    // Another machine may have read its clock since.
    const sinceMs = lastRead !== null && lastRead.seenAt === before?.seenAt ? elapsed - lastRead.elapsed : 0;
    const watch = watchClock(before, { now: p.clock.now(), elapsedMs: sinceMs });
    await store.saveClockWatch(watch);
    lastRead = { seenAt: watch.seenAt, elapsed };
    if (watch.waitingSince !== null && watch.waitingSince !== before?.waitingSince) reportWait(watch);
    if (watch.waitingSince === null && before !== null && before.waitingSince !== null)
      logger.warn("the clock is plausible, so old data is removed again");
    return watch.waitingSince === null;
  }

  function reportWait(watch: ClockWatch): void {
    const jump = findJump(watch);
    if (jump === null) return logger.info("old data is removed after the service has run for a day");
    logger.warn("the clock jumped ahead, or the service was stopped; no old data is removed for now", {
      ahead: formatDuration(jump.aheadMs),
      until: new Date(jump.until).toISOString(),
    });
  }

  async function compareOnce(): Promise<void> {
    try {
      if (stopping.signal.aborted || !(await p.isOurTurn())) return;
      const { days } = retention;
      await p.updateContracts({ textsSince: days === null ? null : p.clock.now() - days * dayMs, pause });
    } catch (error) {
      if (!stopping.signal.aborted) logger.warn("deliveries could not be compared; it will be retried", { error });
    }
  }

  /** Each machine has its own builds. */
  async function removeBuildsOnce(): Promise<void> {
    if (stopping.signal.aborted) return;
    try {
      const builds = await p.removeOldBuilds();
      if (builds.length > 0) logger.info("old builds were removed", { builds });
    } catch (error) {
      if (!stopping.signal.aborted) logger.warn("old builds could not be removed; it will be retried", { error });
    }
  }

  /** Stops immediately when the server shuts down. */
  function pause(tookMs: number): Promise<boolean> {
    const { signal } = stopping;
    return new Promise((resolve) => {
      if (signal.aborted) return resolve(false);
      const end = () => {
        clearTimeout(waiting);
        signal.removeEventListener("abort", end);
        resolve(!signal.aborted);
      };
      const waiting = setTimeout(end, Math.max(minPauseMs, tookMs * pausePerMs));
      signal.addEventListener("abort", end);
    });
  }

  return {
    async close() {
      stopping.abort();
      clearTimeout(timer);
      await running;
    },
  };
}

/** Deliveries received before this time may have been removed, or will be; 0: none. */
export async function retentionCutoff(p: {
  store: Pick<UpkeepStore, "findOldestOf" | "readRemovedBefore">;
  retention: Pick<Retention, "days" | "deliveries">;
  now: number;
}): Promise<number> {
  return Math.max(await cutoffOf(p), await p.store.readRemovedBefore());
}

/** By age and by number. */
async function cutoffOf(p: {
  store: Pick<UpkeepStore, "findOldestOf">;
  retention: Pick<Retention, "days" | "deliveries">;
  now: number;
}): Promise<number> {
  const { days, deliveries } = p.retention;
  const byCount = deliveries === null ? null : await p.store.findOldestOf(deliveries);
  return Math.max(days === null ? 0 : p.now - days * dayMs, byCount ?? 0);
}

/** Idempotency keys that were accepted since this time may be used again. */
function keysSinceOf(maxDedupeMs: number | null, now: number): number {
  return maxDedupeMs === null ? Number.NEGATIVE_INFINITY : now - Math.max(minKeyRetentionMs, maxDedupeMs);
}

/**
 * Removes data beyond the retention settings and obsolete data, in small transactions with a pause after each. An
 * idempotency key is removed when no source can use it any more. If that is unknown (`maxDedupeMs: null`), nothing is
 * removed that a key may refer to.
 */
export async function removeOld(p: {
  store: UpkeepStore &
    Pick<AlertStore, "removeOldAlerts"> &
    Pick<ContractStore, "removeOldContracts"> &
    Pick<DeliveryStore, "listDeliveries">;
  retention: Omit<Retention, "maxSize">;
  maxDedupeMs: number | null;
  now: number;
  /** Of requests without a valid key, those before this time were looked at. Default: none were. */
  unauthenticatedSince?: number;
  /** `false` means stop. The next run starts from the beginning without any loss. */
  pause: Pause;
}): Promise<RemovedRows> {
  const { store, retention, now, pause } = p;
  const keysSince = keysSinceOf(p.maxDedupeMs, now);
  const byAge = retention.days === null ? null : now - retention.days * dayMs;
  const before = await cutoffOf(p);
  const removed: RemovedRows = {
    unauthenticated: 0,
    deliveries: 0,
    runs: 0,
    keys: 0,
    counters: 0,
    workers: 0,
    auditEntries: 0,
    signIns: 0,
    alerts: 0,
    contracts: 0,
  };
  let canContinue = true;

  async function walk<Place>(
    what: keyof RemovedRows,
    batch: (after: Place | null) => Promise<UpkeepBatch<Place>>,
  ): Promise<void> {
    for (let after: Place | null = null; canContinue;) {
      const began = performance.now();
      const { removed: rows, next } = await batch(after);
      removed[what] += rows;
      canContinue = await pause(performance.now() - began);
      if (next === null) return;
      after = next;
    }
  }

  if (before > 0) {
    await walk("deliveries", (after: { at: number; id: string } | null) =>
      store.removeOldDeliveries({ before, keysSince, after }),
    );
    await walk("runs", (after: { at: number; id: string } | null) => store.removeOldRuns({ before, after }));
    await walk("contracts", () => store.removeOldContracts({ before }));
  }
  await walk("unauthenticated", (cursor: string | null) =>
    removeUnauthenticated(store, { since: p.unauthenticatedSince ?? 0, until: now - unauthenticatedKeptMs, cursor }),
  );
  if (Number.isFinite(keysSince))
    await walk("keys", (after: { endpoint: string; key: string } | null) =>
      store.removeOldKeys({ before: keysSince, after }),
    );
  if (byAge !== null)
    await walk("counters", (after: { bucketMs: number; endpoint: string; attachmentId: string } | null) =>
      store.removeOldCounters({ before: byAge, after }),
    );
  await walk("keys", () => store.removeOldStartKeys({ before: now - startKeyWindowMs }));
  const { auditDays } = retention;
  if (auditDays !== null) await walk("auditEntries", () => store.removeOldAudit({ before: now - auditDays * dayMs }));
  await walk("signIns", () => store.removeExpiredSignIns({ before: now }));
  await walk("alerts", () => store.removeOldAlerts({ before: now - alertsKeptMs }));
  if (canContinue) removed.workers = await store.removeOldWorkers(now - workersKeptMs);
  while (canContinue && (await store.releaseSpace())) canContinue = await pause(0);
  return removed;
}

/** Requests without a valid key. Those with an invalid signature stay: they can be redelivered. */
async function removeUnauthenticated(
  store: Pick<UpkeepStore, "removeRejected"> & Pick<DeliveryStore, "listDeliveries">,
  { since, until, cursor }: { since: number; until: number; cursor: string | null },
): Promise<UpkeepBatch<string>> {
  const { data, nextCursor } = await store.listDeliveries({ status: 401, since, until }, { limit: 100, cursor });
  const ids = data.filter(({ problem }) => problem?.code === "unauthorized").map(({ id }) => id);
  return { removed: ids.length === 0 ? 0 : await store.removeRejected(ids), next: nextCursor };
}
