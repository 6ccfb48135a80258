import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { silentLogger } from "../ports/logger.ts";
import type { AlertStore } from "../ports/store/alert-store.ts";
import type { ContractStore } from "../ports/store/contract-store.ts";
import type { DeliveryStore } from "../ports/store/delivery-store.ts";
import type { UpkeepStore } from "../ports/store/upkeep-store.ts";
import { startUpkeep } from "./start-upkeep.ts";

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

const nothing = { removed: 0, next: null };

function fakeStore() {
  return {
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
    releaseSpace: vi.fn<() => Promise<boolean>>(async () => false),
  };
}

const day = 86_400_000;
const now = 100 * day;
type Given = Partial<Parameters<typeof startUpkeep>[0]>;
const start = (store: ReturnType<typeof fakeStore>, given: Given = {}) =>
  startUpkeep({
    store,
    retention: { days: 30, deliveries: null, auditDays: null },
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
  const upkeep = start(store, { retention: { days: null, deliveries: null, auditDays: 40 } });
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

it("a pause is cut short when the service stops", async () => {
  const store = fakeStore();
  const upkeep = start(store);
  await vi.advanceTimersByTimeAsync(60_001);
  await upkeep.close();
  expect(store.removeOldRuns).not.toHaveBeenCalled();
});
