import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import { systemClock } from "../ports/clock.ts";
import { silentLogger } from "../ports/logger.ts";
import type { ClaimedRun, RunTransition } from "../ports/store/engine-store.ts";
import type { Store } from "../ports/store.ts";
import { openSqliteStore } from "../store/sqlite/open-store.ts";
import { aRun } from "../store/testing/factories.ts";
import { createStoreDispatcher } from "./store-dispatcher.ts";

let folder: string;
let store: Store;
beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), "signalbox-dispatch-"));
  store = await openSqliteStore({ file: join(folder, "ledger.db") });
});
afterEach(async () => {
  await store.close();
  rmSync(folder, { recursive: true, force: true });
});

const dispatch = (capacity: number) =>
  createStoreDispatcher({
    store,
    workerId: "wrk_1",
    capacity: () => capacity,
    pool: "shared",
    version: "v1",
    leaseMs: 60_000,
    concurrency: () => new Map(),
    clock: systemClock,
    logger: silentLogger,
  });

const end = (run: ClaimedRun, transition: RunTransition) =>
  store.writeProgress({ runId: run.id, token: run.token, now: Date.now(), entries: [], transition });

it("runs everything that is queued, sleeping runs in their time, and what another connection queues", async () => {
  const other = await openSqliteStore({ file: join(folder, "ledger.db") });
  const wanted = 40;
  const seen: string[] = [];
  await store.createRuns(Array.from({ length: wanted - 1 }, () => aRun({ createdAt: Date.now() })));
  const dispatcher = dispatch(3);
  await new Promise<void>((resolve) => {
    dispatcher.start(async (run) => {
      if (!run.isResumed) {
        await end(run, { to: "waiting", reason: "sleep", availableAt: Date.now() + 20 });
        return;
      }
      await end(run, { to: "completed", output: null });
      seen.push(run.id);
      if (seen.length === wanted) resolve();
    });
    void other.createRuns([aRun({ createdAt: Date.now() })]);
  });
  await dispatcher.drain();
  await other.close();
  expect(new Set(seen).size).toBe(wanted);
  expect(await store.countOpenRuns()).toEqual({ queued: 0, running: 0, waiting: 0 });
});
