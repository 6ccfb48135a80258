import { mkdirSync, readdirSync, utimesSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { buildProject } from "../../cli/build/build-project.ts";
import { makeProject, smallProject } from "../../cli/build/testing/make-project.ts";
import { readSettings } from "../config.ts";
import { silentLogger } from "../ports/logger.ts";
import type { WorkerInfo } from "../ports/store/engine-store.ts";
import { machineName } from "./machine-name.ts";
import { startStoreUpkeep } from "./start-store-upkeep.ts";

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

const settingsOf = (projectDir: string) =>
  readSettings({
    projectDir,
    mode: "deployed",
    fromProject: {},
    env: {
      SIGNALBOX_SECRET: "0123456789abcdef0123456789abcdef",
      SIGNALBOX_BUILDS_DIR: join(projectDir, "shared-builds"),
    },
  });
const nothing = { removed: 0, next: null };
const here = machineName(settingsOf("/nowhere"));

/** The newest worker first. */
function start(p: { hosts: readonly string[]; projectDir?: string; openRuns?: Map<string, number>; version?: string }) {
  const workers = p.hosts.map((host, n): WorkerInfo => ({
    id: `wrk_${n}`,
    host,
    pid: n,
    version: p.version ?? "v1",
    startedAt: 1_000 - n,
    seenAt: 1_000,
  }));
  const removeExpiredSignIns = vi.fn<() => Promise<typeof nothing>>(async () => nothing);
  const upkeep = startStoreUpkeep({
    settings: settingsOf(p.projectDir ?? "/nowhere"),
    store: {
      listWorkers: async () => workers,
      readClockWatch: async () => ({ seenAt: Date.now(), trustedAt: Date.now(), waitingSince: null }),
      saveClockWatch: async () => {},
      findOldestOf: async () => null,
      removeRejected: async () => 0,
      removeOldDeliveries: async () => nothing,
      removeOldRuns: async () => nothing,
      removeOldKeys: async () => nothing,
      removeOldCounters: async () => nothing,
      removeOldWorkers: async () => 0,
      removeOldStartKeys: async () => nothing,
      removeOldAudit: async () => nothing,
      removeExpiredSignIns,
      removeOldAlerts: async () => nothing,
      removeOldContracts: async () => nothing,
      readContracts: async () => ({ revision: 0, endpoint: null, kinds: new Map() }),
      saveContracts: async () => true,
      listDeliveries: async () => ({ data: [], nextCursor: null }),
      getDelivery: async () => null,
      readSize: async () => null,
      readRemovedBefore: async () => 0,
      saveRemovedBefore: async () => {},
      releaseSpace: async () => false,
      countOpenRunsByVersion: async () => p.openRuns ?? new Map(),
    },
    logger: silentLogger,
  });
  return { upkeep, removeExpiredSignIns };
}

it.each([
  { name: "this machine has the oldest worker", hosts: ["elsewhere", here], isDone: true },
  { name: "another machine has the oldest worker", hosts: [here, "elsewhere"], isDone: false },
  { name: "there are no workers", hosts: [], isDone: true },
])("if $name: upkeep runs here: $isDone", async ({ hosts, isDone }) => {
  const { upkeep, removeExpiredSignIns } = start({ hosts });
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

it("each machine removes its old builds, except those of open runs and of workers", async () => {
  vi.useRealTimers();
  const projectDir = makeProject(smallProject);
  const built = await buildProject({ projectDir });
  const current = built.ok ? built.manifest.version : "";
  const folders = [join(projectDir, ".signalbox", "builds"), join(projectDir, "shared-builds")];
  for (const folder of folders)
    for (let n = 1; n <= 9; n += 1) {
      mkdirSync(join(folder, `v${n}`), { recursive: true });
      utimesSync(join(folder, `v${n}`), n, n);
    }
  vi.useFakeTimers();
  const { upkeep } = start({ hosts: [here, "elsewhere"], projectDir, openRuns: new Map([["v1", 2]]), version: "v2" });
  await vi.advanceTimersByTimeAsync(60_000);
  const kept = ["v1", "v2", "v5", "v6", "v7", "v8", "v9"];
  await vi.waitFor(() => {
    expect(folders.map((folder) => readdirSync(folder).sort())).toEqual([[current, ...kept].sort(), kept]);
  });
  await upkeep.close();
});
