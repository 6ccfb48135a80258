import { Client } from "pg";
import { afterAll, beforeAll, beforeEach, expect, it, vi } from "vitest";
import { askPostgres } from "../../../scripts/ask-postgres.ts";
import { leaseMs } from "../../domain/runs/lease.ts";
import { migrationsFolder } from "../../paths.ts";
import { silentLogger } from "../../ports/logger.ts";
import type { Store } from "../../ports/store.ts";
import { aClaim, aConcurrency, aKey, aRun, claimOne, epoch } from "../testing/factories.ts";
import { type PostgresServer, startPostgres } from "../testing/postgres-server.ts";
import { readJournal } from "../shared/migration-journal.ts";
import { createPool } from "./connection/connect.ts";
import { inspectPostgres } from "./inspect-database.ts";
import { openPostgresStore } from "./open-store.ts";
import { followClock } from "./connection/store-clock.ts";

let server: PostgresServer;
let url: string;
beforeAll(async () => {
  server = await startPostgres();
});
afterAll(() => server.stop());
beforeEach(async () => {
  url = await server.createDatabase();
});

async function withStore(use: (store: Store) => Promise<void>): Promise<void> {
  const store = await openPostgresStore({ url });
  await use(store).finally(() => store.close());
}

const open = async (fingerprint: string, isReplacing = false) =>
  (await openPostgresStore({ url, secret: { fingerprint, isReplacing } })).close();

it("the first secret of a store is that of all machines; another is rejected, until it is put in its place on purpose", async () => {
  await open("one");
  await open("one");
  const rejected: unknown = await open("two").catch((error: unknown) => error);
  expect(rejected).toMatchObject({
    code: "store_unusable",
    message: expect.stringMatching(/another secret than the machines/),
    fix: expect.stringMatching(/same SIGNALBOX_SECRET.*--new-secret/),
  });
  await open("two", true);
  await open("two");
  await expect(open("one")).rejects.toMatchObject({ code: "store_unusable" });
});

it("of machines that come to a new store at once with different secrets, one stays", async () => {
  const opened = await Promise.allSettled(["a", "b", "c", "d"].map((fingerprint) => open(fingerprint)));
  expect(opened.filter(({ status }) => status === "fulfilled")).toHaveLength(1);
});

it("reports by how much the clock of the database is ahead, and a usual difference as 0", async () => {
  const pool = createPool(url, { max: 1, logger: silentLogger });
  const reported: number[] = [];
  for (const aheadMs of [0, 200, -3_600_000, 3_600_000]) {
    const stop = await followClock({
      pool,
      onAhead: (ms) => reported.push(ms),
      logger: silentLogger,
      now: () => Date.now() - aheadMs,
    });
    stop();
  }
  await pool.end();
  expect(reported.slice(0, 2)).toEqual([0, 0]);
  expect(reported[2]).toBeCloseTo(-3_600_000, -4);
  expect(reported[3]).toBeCloseTo(3_600_000, -4);
});

const old = epoch - 60_000;
const at = epoch + 1000;

async function liveWorkers(store: Store, versions: readonly string[]): Promise<void> {
  for (const [n, version] of versions.entries())
    await store.heartbeatWorker({ id: `wrk_${version}`, pid: n, host: "h", version, startedAt: n, seenAt: at });
}

const claim = async (store: Store, version: string, now = at) =>
  (await store.claimRuns(aClaim({ version, now }))).map((run) => run.id).toSorted();

/** Its leases have the times of the operations. */
async function withTimedStore(use: (store: Store) => Promise<void>): Promise<void> {
  const store = await server.openStore();
  await use(store).finally(() => store.close());
}

it("while workers of two versions live, each takes what its own version accepted, and the newest takes the rest", async () => {
  await withStore(async (store) => {
    await liveWorkers(store, ["v1", "v2"]);
    const [first, second, gone] = ["v1", "v2", "v0"].map((version) => aRun({ version, createdAt: old }));
    if (!first || !second || !gone) throw new Error("three runs were to be made");
    await store.createRuns([first, second, gone]);
    expect(await claim(store, "v1")).toEqual([first.id]);
    expect(await claim(store, "v2")).toEqual([second.id, gone.id].toSorted());
  });
});

it("a machine takes the runs of every build that it keeps, and the newest leaves those of others to them", async () => {
  await withStore(async (store) => {
    const worker = { pid: 1, host: "h", seenAt: at };
    await store.heartbeatWorker({ ...worker, id: "wrk_2", version: "v2", startedAt: 1, keptVersions: ["v1"] });
    await store.heartbeatWorker({ ...worker, id: "wrk_3", version: "v3", startedAt: 2, keptVersions: [] });
    const runs = ["v0", "v1", "v2", "v3"].map((version) => aRun({ version, createdAt: old }));
    await store.createRuns(runs);
    const [gone, first, second, third] = runs.map(({ id }) => id);
    expect(await claim(store, "v3")).toEqual([gone, third].toSorted());
    const claimed = await store.claimRuns(aClaim({ version: "v2", keptVersions: new Set(["v1"]), now: at }));
    expect(claimed.map(({ id }) => id).toSorted()).toEqual([first, second].toSorted());
    expect(claimed.find(({ id }) => id === first)?.build).toEqual({ acceptedBy: "v1", version: "v1" });
  });
});

it("what a version accepted goes to the newest when its last worker leaves or is gone", async () => {
  await withStore(async (store) => {
    await liveWorkers(store, ["v1", "v2"]);
    const runs = [aRun({ version: "v1", createdAt: old }), aRun({ version: "v1", createdAt: old })];
    await store.createRuns(runs);
    expect(await claim(store, "v2")).toEqual([]);
    await store.heartbeatWorker({
      id: "wrk_v1",
      pid: 1,
      host: "h",
      version: "v1",
      startedAt: 0,
      seenAt: at,
      isLeaving: true,
    });
    expect(await store.claimRuns(aClaim({ version: "v2", limit: 1, now: at }))).toHaveLength(1);
    await store.heartbeatWorker({ id: "wrk_v1", pid: 1, host: "h", version: "v1", startedAt: 0, seenAt: at });
    expect(await claim(store, "v2")).toEqual([]);
    expect(await claim(store, "v2", at + leaseMs + 1_000)).toHaveLength(1);
  });
});

it("what was accepted a moment ago waits for the workers of its version, which may be on their way", async () => {
  await withStore(async (store) => {
    await liveWorkers(store, ["v1"]);
    await store.createRuns([aRun({ version: "v2", createdAt: at - 9_000 })]);
    expect(await claim(store, "v1")).toEqual([]);
    expect(await claim(store, "v1", at + 1_500)).toHaveLength(1);
  });
});

it("a list of workers has those that leave, and no more of each than it had", async () => {
  await withStore(async (store) => {
    const worker = { id: "wrk_a", pid: 1, host: "h", version: "v1", startedAt: 0, seenAt: at };
    await store.heartbeatWorker({ ...worker, isLeaving: true });
    const unknown = { freeSlots: null, isResponsive: null, keptVersions: [], pool: null };
    expect(await store.listWorkers({ seenSince: 0 })).toEqual([{ ...worker, ...unknown, isLeaving: true }]);
  });
});

it("runs of a machine that was lost when the clock of the database was set back continue when their heartbeats have not changed for the time of a lease", async () => {
  vi.useFakeTimers({ toFake: ["performance"] });
  await withTimedStore(async (store) => {
    await store.createRuns([aRun({ createdAt: epoch }), aRun({ createdAt: epoch })]);
    const [living, lost] = await store.claimRuns(aClaim({ now: at }));
    if (!living || !lost) throw new Error("two runs were to be claimed");
    const back = at - 3_600_000;
    const renew = (now: number) => store.extendLeases({ runs: [living], now, leaseMs });
    expect(await store.reconcile(back)).toBe(0);
    await renew(back + 4_000);
    vi.advanceTimersByTime(leaseMs - 1);
    expect(await store.reconcile(back + leaseMs - 1)).toBe(0);
    await renew(back + leaseMs - 1);
    vi.advanceTimersByTime(1);
    expect(await store.reconcile(back + leaseMs)).toBe(1);
    expect((await store.listHeldRuns(living.workerId)).map(({ id }) => id)).toEqual([living.id]);
    expect((await store.getRun(lost.id))?.status).toBe("queued");
  }).finally(() => vi.useRealTimers());
});

it("a run of a lost machine continues after the time of a lease, also if the clock was set back by less", async () => {
  vi.useFakeTimers({ toFake: ["performance"] });
  await withTimedStore(async (store) => {
    await store.createRuns([aRun({ createdAt: epoch }), aRun({ createdAt: epoch })]);
    const [living, lost] = await store.claimRuns(aClaim({ now: at }));
    if (!living || !lost) throw new Error("two runs were to be claimed");
    const back = at - 6_000;
    const renew = (now: number) => store.extendLeases({ runs: [living], now, leaseMs });
    expect(await store.reconcile(back)).toBe(0);
    for (const [passedMs, inAllMs] of [
      [5_000, 5_000],
      [5_000, 10_000],
      [leaseMs - 10_001, leaseMs - 1],
    ] as const) {
      vi.advanceTimersByTime(passedMs);
      await renew(back + inAllMs);
      expect(await store.reconcile(back + inAllMs)).toBe(0);
    }
    vi.advanceTimersByTime(1);
    expect(await store.reconcile(back + leaseMs)).toBe(1);
    expect((await store.listHeldRuns(living.workerId)).map(({ id }) => id)).toEqual([living.id]);
    expect((await store.getRun(lost.id))?.status).toBe("queued");
  }).finally(() => vi.useRealTimers());
});

it("a key is read together with the triggers that any machine has disabled", async () => {
  await withStore(async (other) =>
    withStore(async (store) => {
      const created = await other.createKey(aKey({ hash: "h" }));
      expect(await store.findKeyWithDisabled?.("h")).toEqual({ key: created, disabled: new Map() });
      const at = Date.parse("2026-01-01T00:00:00.000Z");
      await other.switchTrigger({ slug: "a", disable: { at, reason: 'the "mail" server' } });
      await other.switchTrigger({ slug: "b", disable: { at: at + 1, reason: null } });
      await other.revokeKey(created.id, at);
      expect(await store.findKeyWithDisabled?.("h")).toEqual({
        key: { ...created, revokedAt: "2026-01-01T00:00:00.000Z" },
        disabled: await other.listDisabledTriggers(),
      });
      await other.switchTrigger({ slug: "a", disable: null });
      const found = await store.findKeyWithDisabled?.("h");
      expect([...(found?.disabled.keys() ?? [])]).toEqual(["b"]);
      expect(await store.findKeyWithDisabled?.("unknown")).toBeNull();
    }),
  );
});

const hourly = (name: string, requests: number) => ({ name, rule: { requests, windowMs: 3_600_000 } });
const take = (store: Store, ...asked: Parameters<NonNullable<Store["takeRates"]>>[0]) => store.takeRates?.(asked);

it("a rate counts the requests of all machines together, and is charged for none that it rejects", async () => {
  const stores = await Promise.all([1, 2, 3].map(() => openPostgresStore({ url })));
  const taken = await Promise.all(
    stores.flatMap((store) =>
      Array.from({ length: 10 }, () => take(store, hourly("endpoint a", 7), hourly("key k", 20))),
    ),
  );
  expect(taken.filter((answer) => answer?.isOver === false)).toHaveLength(7);
  const [first, second] = stores;
  if (!first || !second) throw new Error("stores were to open");
  expect(await take(first, hourly("key k", 20))).toMatchObject({ isOver: false, allowances: [{ remaining: 12 }] });
  expect(await take(second, hourly("key k", 20), hourly("endpoint b\0", 1))).toMatchObject({
    isOver: false,
    allowances: [{ remaining: 11 }, { remaining: 0 }],
  });
  expect(await take(first, hourly("endpoint b\0", 1))).toMatchObject({ isOver: true, allowances: [{ remaining: 0 }] });
  await Promise.all(stores.map((store) => store.close()));
});

it("a rate comes back with the time", async () => {
  await withStore(async (store) => {
    const soon = [{ name: "soon", rule: { requests: 1, windowMs: 200 } }];
    expect(await store.takeRates?.(soon)).toMatchObject({ isOver: false });
    await vi.waitFor(async () => expect(await store.takeRates?.(soon)).toMatchObject({ isOver: false }), {
      interval: 20,
    });
  });
});

it("a database is looked at as it is, whether or not anything was made in it, and nothing in it is changed", async () => {
  const empty = await server.createDatabase("template1");
  expect(await inspectPostgres(empty)).toMatchObject({
    pendingMigrations: readJournal(migrationsFolder("postgres")).length,
    mayWrite: true,
    secretFingerprint: null,
    contents: null,
    connections: { wanted: 16 },
  });
  expect((await inspectPostgres(empty)).pendingMigrations).toBeGreaterThan(0);
  await open("one");
  await withStore(async (store) => {
    const key = aKey({ endpoints: ["signup"] });
    await store.createKey(key);
    for (const n of [1, 2])
      await store.heartbeatWorker({
        id: `wrk_${n}`,
        pid: n,
        host: `h${n}`,
        version: "v1",
        startedAt: 0,
        seenAt: Date.now(),
      });
    await store.createRuns([aRun({ version: "v1" }), aRun({ version: "v1" })]);
    const facts = await inspectPostgres(url);
    expect(facts).toMatchObject({
      user: "signalbox",
      pendingMigrations: 0,
      mayWrite: true,
      mayMigrate: true,
      isReplica: false,
      fsync: "off",
      fullPageWrites: "off",
      synchronousCommit: "on",
      secretFingerprint: "one",
    });
    expect(facts.contents).toMatchObject({
      newestDeliveryAt: null,
      keys: [{ id: key.id, endpoints: ["signup"] }],
      people: 0,
      openRuns: [{ version: "v1", target: "workflow:welcome-email", runs: 2 }],
    });
    expect(facts.connections).toMatchObject({ wanted: 32 });
    // A machine without workers has no row, and two services can have one host.
    const others = ["web-1:10", "web-1:11", "web-2:10", "h1:10", "h1:11", "h1:12", "h1:12"];
    const clients = others.map((name) => new Client({ connectionString: url, application_name: `signalbox ${name}` }));
    await Promise.all(clients.map((client) => client.connect()));
    expect((await inspectPostgres(url)).connections).toMatchObject({ wanted: 6 * 8 });
    await Promise.all(clients.map((client) => client.end()));
    expect(Math.abs(facts.aheadMs)).toBeLessThan(60_000);
  });
});

it("runs without a worker, and queues that stand still, are found", async () => {
  await withStore(async (store) => {
    const now = Date.now();
    const runs = [aRun(), aRun({ concurrency: aConcurrency({ limit: 1 }) }), aRun({ version: "v2" })].map((run) => ({
      ...run,
      createdAt: now,
    }));
    await store.createRuns(runs);
    await claimOne(store, { version: "v2", now });
    expect((await inspectPostgres(url)).queue).toMatchObject({ silentRuns: 0, stuck: [] });
    expect(await store.listQueueDepths?.()).toMatchObject([
      { version: "v1", pool: "shared", target: null, runs: 1 },
      { version: "v1", pool: "shared", target: "workflow:welcome-email", runs: 1 },
      { version: "v2", pool: "shared", target: null, runs: 0, oldestSeconds: 0 },
    ]);
    await askPostgres(
      url,
      "UPDATE run SET available_at = available_at - 3600000, lease_until = lease_until - 3600000 WHERE is_limited OR worker_id IS NOT NULL",
    );
    expect((await inspectPostgres(url)).queue).toMatchObject({
      silentRuns: 1,
      stuck: [{ version: "v1", target: "workflow:welcome-email", runs: 1 }],
    });
  });
});

it("a user that may read but not write is reported", async () => {
  const admin = new Client(url);
  await admin.connect();
  await admin.query(
    "CREATE ROLE reader LOGIN; GRANT USAGE ON SCHEMA signalbox TO reader; GRANT SELECT ON ALL TABLES IN SCHEMA signalbox TO reader",
  );
  await admin.end();
  expect(await inspectPostgres(url.replace("user=signalbox", "user=reader"))).toMatchObject({
    user: "reader",
    mayWrite: false,
  });
});

it("a run host whose listening connection was cut is woken when it is made again, and by others afterwards", async () => {
  // Without the checks that it makes every two seconds.
  vi.useFakeTimers({ toFake: ["setInterval", "clearInterval"] });
  await withStore(async (store) => {
    const other = await openPostgresStore({ url });
    let heard = 0;
    const stop = store.watchRuns(() => (heard += 1));
    await vi.waitFor(() => expect(heard).toBe(1), { interval: 20 });
    const admin = new Client(url);
    await admin.connect();
    await admin.query(
      "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name LIKE 'signalbox%' AND datname = current_database()",
    );
    await admin.end();
    // The notifications in between are lost.
    await vi.waitFor(() => expect(heard).toBe(2), { interval: 20 });
    const run = aRun();
    await other.createRuns([run]);
    await vi.waitFor(() => expect(heard).toBeGreaterThan(2), { interval: 20 });
    expect((await claimOne(store)).id).toBe(run.id);
    stop();
    await other.close();
  }).finally(() => vi.useRealTimers());
});
