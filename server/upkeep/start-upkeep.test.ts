import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { silentLogger } from "../ports/logger.ts";
import type { ClockWatch } from "../domain/clock-watch.ts";
import type { AlertStore } from "../ports/store/alert-store.ts";
import type { ContractStore } from "../ports/store/contract-store.ts";
import type { DeliveryStore } from "../ports/store/delivery-store.ts";
import type { UpkeepStore } from "../ports/store/upkeep-store.ts";
import { startUpkeep } from "./start-upkeep.ts";

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

const day = 86_400_000;
const now = 100 * day;
const nothing = { removed: 0, next: null };

/** `watch`: what a service that ran until a moment ago has recorded of the clock. */
function fakeStore(watch: ClockWatch | null = { seenAt: now, trustedAt: now, waitingSince: null }) {
  let stored = watch;
  return {
    readClockWatch: async () => stored,
    saveClockWatch: async (next: ClockWatch) => void (stored = next),
    findOldestOf: vi.fn<UpkeepStore["findOldestOf"]>(async () => null),
    removeRejected: vi.fn<UpkeepStore["removeRejected"]>(async (ids) => ids.length),
    listDeliveries: vi.fn<DeliveryStore["listDeliveries"]>(async () => ({ data: [], nextCursor: null })),
    removeOldDeliveries: vi.fn<UpkeepStore["removeOldDeliveries"]>(async () => nothing),
    removeOldRuns: vi.fn<UpkeepStore["removeOldRuns"]>(async () => nothing),
    removeOldKeys: vi.fn<UpkeepStore["removeOldKeys"]>(async () => nothing),
    removeOldCounters: vi.fn<UpkeepStore["removeOldCounters"]>(async () => nothing),
    removeOldWorkers: vi.fn<UpkeepStore["removeOldWorkers"]>(async () => 0),
    removeOldStartKeys: vi.fn<UpkeepStore["removeOldStartKeys"]>(async () => nothing),
    removeOldAudit: vi.fn<UpkeepStore["removeOldAudit"]>(async () => nothing),
    removeExpiredSignIns: vi.fn<UpkeepStore["removeExpiredSignIns"]>(async () => nothing),
    removeOldAlerts: vi.fn<AlertStore["removeOldAlerts"]>(async () => nothing),
    removeOldContracts: vi.fn<ContractStore["removeOldContracts"]>(async () => nothing),
    readSize: async () => null,
    readRemovedBefore: async () => 0,
    saveRemovedBefore: async () => {},
    releaseSpace: vi.fn<() => Promise<boolean>>(async () => false),
  };
}

type Given = Partial<Parameters<typeof startUpkeep>[0]>;
const start = (store: ReturnType<typeof fakeStore>, given: Given = {}) =>
  startUpkeep({
    store,
    retention: { days: 30, deliveries: null, maxSize: null, auditDays: null },
    maxDedupeMs: async () => 0,
    isOurTurn: async () => true,
    updateContracts: async () => {},
    removeOldBuilds: async () => [],
    clock: { now: () => now },
    logger: silentLogger,
    ...given,
  });

it("removes what is older than asked for a minute after the start, then every ten minutes, until it is closed", async () => {
  const store = fakeStore();
  const upkeep = start(store);
  await vi.advanceTimersByTimeAsync(59_000);
  expect(store.removeOldDeliveries).not.toHaveBeenCalled();
  await vi.advanceTimersByTimeAsync(2_000);
  expect(store.removeOldDeliveries).toHaveBeenCalledExactlyOnceWith({
    before: 70 * day,
    keysSince: 98 * day,
    after: null,
  });
  await vi.advanceTimersByTimeAsync(601_000);
  expect(store.removeOldDeliveries).toHaveBeenCalledTimes(2);
  await upkeep.close();
  await vi.advanceTimersByTimeAsync(3_600_000);
  expect(store.removeOldDeliveries).toHaveBeenCalledTimes(2);
});

it("of several servers on one store, one does it; when it is gone, another", async () => {
  const store = fakeStore();
  let isOurTurn = false;
  const upkeep = start(store, { isOurTurn: async () => isOurTurn });
  await vi.advanceTimersByTimeAsync(61_000);
  expect(store.removeOldDeliveries).not.toHaveBeenCalled();
  isOurTurn = true;
  await vi.advanceTimersByTimeAsync(601_000);
  expect(store.removeOldDeliveries).toHaveBeenCalledOnce();
  await upkeep.close();
});

it("removes old entries of the audit log and expired sign-ins, also where deliveries are kept permanently", async () => {
  const store = fakeStore();
  store.removeOldAudit.mockResolvedValueOnce({ removed: 500, next: true });
  const upkeep = start(store, { retention: { days: null, deliveries: null, maxSize: null, auditDays: 40 } });
  await vi.advanceTimersByTimeAsync(61_000);
  expect(store.removeOldAudit.mock.calls).toEqual([[{ before: 60 * day }], [{ before: 60 * day }]]);
  expect(store.removeExpiredSignIns).toHaveBeenCalledExactlyOnceWith({ before: now });
  await upkeep.close();
});

it("an unavailable store skips one round and is logged", async () => {
  const store = fakeStore();
  store.removeOldDeliveries.mockRejectedValueOnce(new Error("away"));
  const warn = vi.fn<() => void>();
  const upkeep = start(store, { logger: { ...silentLogger, warn } });
  await vi.advanceTimersByTimeAsync(61_000);
  expect(warn).toHaveBeenCalledOnce();
  await vi.advanceTimersByTimeAsync(601_000);
  expect(store.removeOldWorkers).toHaveBeenCalledOnce();
  await upkeep.close();
});

it("removes nothing by a clock that jumped 40 days ahead, says so once, and continues after a day by that clock", async () => {
  const store = fakeStore();
  const log = vi.fn<(message: string, fields?: object) => void>();
  let real = now;
  let ahead = 0;
  const upkeep = start(store, {
    clock: { now: () => real + ahead, elapsed: () => real },
    logger: { ...silentLogger, warn: log, info: log },
  });
  const passMinutes = async (minutes: number) => {
    for (let passed = 0; passed < minutes; passed += 1) {
      real += 60_000;
      await vi.advanceTimersByTimeAsync(60_000);
    }
  };
  await passMinutes(2);
  expect(store.removeOldDeliveries).toHaveBeenCalledOnce();
  ahead = 40 * day;
  await passMinutes(23 * 60);
  expect(store.removeOldDeliveries).toHaveBeenCalledOnce();
  expect(log.mock.calls).toMatchObject([
    ["the clock jumped ahead, or the service was stopped; no old data is removed for now", { ahead: "40 d" }],
  ]);
  await passMinutes(2 * 60);
  expect(store.removeOldDeliveries.mock.lastCall?.[0].before).toBeGreaterThan(now + 10 * day);
  expect(log).toHaveBeenLastCalledWith("the clock is plausible, so old data is removed again");
  await upkeep.close();
});

it.each([
  [
    "whose clock is 40 days ahead of the last time in the store",
    { seenAt: now - 40 * day, trustedAt: now - 40 * day, waitingSince: null },
  ],
  ["on a store that has recorded no time", null],
])("removes nothing a minute after a start %s", async (_, watch) => {
  const store = fakeStore(watch);
  const upkeep = start(store);
  await vi.advanceTimersByTimeAsync(120_000);
  expect(store.removeOldDeliveries).not.toHaveBeenCalled();
  expect(store.removeOldAudit).not.toHaveBeenCalled();
  await upkeep.close();
});

it("looks at each request without a valid key once", async () => {
  const store = fakeStore();
  const upkeep = start(store);
  await vi.advanceTimersByTimeAsync(62_000);
  await vi.advanceTimersByTimeAsync(11 * 60_000);
  await upkeep.close();
  const asked = store.listDeliveries.mock.calls.map(([filter]) => filter);
  expect(asked).toMatchObject([{ since: 0 }, { since: asked[0]?.until }]);
});

it("a pause is cut short when the service stops", async () => {
  const store = fakeStore();
  const upkeep = start(store);
  await vi.advanceTimersByTimeAsync(60_001);
  await upkeep.close();
  expect(store.removeOldRuns).not.toHaveBeenCalled();
});
