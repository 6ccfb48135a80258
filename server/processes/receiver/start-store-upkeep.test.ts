import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { readSettings } from "../../config.ts";
import { silentLogger } from "../../ports/logger.ts";
import type { WorkerInfo } from "../../ports/store/engine-store.ts";
import { machineName } from "../machine-name.ts";
import { startStoreUpkeep } from "./start-store-upkeep.ts";

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

const settings = readSettings({
  projectDir: "/nowhere",
  mode: "deployed",
  fromProject: {},
  env: { SIGNALBOX_SECRET: "0123456789abcdef0123456789abcdef" },
});
const nothing = { removed: 0, next: null };
const here = machineName(settings);

it.each([
  { name: "this machine has the oldest worker", hosts: ["elsewhere", here], isDone: true },
  { name: "another machine has the oldest worker", hosts: [here, "elsewhere"], isDone: false },
  { name: "there are no workers", hosts: [], isDone: true },
])("if $name: upkeep runs here: $isDone", async ({ hosts, isDone }) => {
  // The newest first.
  const workers = hosts.map((host, n): WorkerInfo => ({
    id: `wrk_${n}`,
    host,
    pid: n,
    version: "v1",
    startedAt: 1_000 - n,
    seenAt: 1_000,
  }));
  const removeExpiredSignIns = vi.fn<() => Promise<typeof nothing>>(async () => nothing);
  const upkeep = startStoreUpkeep({
    settings,
    store: {
      listWorkers: async () => workers,
      findOldestOf: async () => null,
      removeOldDeliveries: async () => nothing,
      removeOldRuns: async () => nothing,
      removeOldKeys: async () => nothing,
      removeOldCounters: async () => nothing,
      removeOldWorkers: async () => 0,
      removeOldAudit: async () => nothing,
      removeExpiredSignIns,
      removeOldAlerts: async () => nothing,
      removeOldContracts: async () => nothing,
      readContracts: async () => ({ revision: 0, endpoint: null, kinds: new Map() }),
      saveContracts: async () => true,
      listDeliveries: async () => ({ data: [], nextCursor: null }),
      getDelivery: async () => null,
      releaseSpace: async () => false,
    },
    logger: silentLogger,
  });
  await vi.advanceTimersByTimeAsync(60_000);
  // The manifest is read from the disk, and upkeep pauses between its tables.
  const happens = async () => {
    for (let turns = 0; turns < (isDone ? 10_000 : 100); turns += 1) {
      await vi.advanceTimersByTimeAsync(50);
      if (removeExpiredSignIns.mock.calls.length > 0) return true;
    }
    return false;
  };
  expect(await happens()).toBe(isDone);
  await upkeep.close();
});
