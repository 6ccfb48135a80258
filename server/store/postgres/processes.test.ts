import * as fc from "fast-check";
import { Client } from "pg";
import { afterAll, beforeAll, expect, it, type Mock, vi } from "vitest";
import { askPostgres } from "../../../scripts/ask-postgres.ts";
import { migrationsFolder } from "../../paths.ts";
import type { Store } from "../../ports/store.ts";
import { readJournal } from "../shared/migration-journal.ts";
import { aClaim, aConcurrency, aDelivery, aRun, aVerdict, limitTo } from "../testing/factories.ts";
import { type PostgresServer, startPostgres } from "../testing/postgres-server.ts";
import { openPostgresStore } from "./open-store.ts";

let server: PostgresServer;
beforeAll(async () => {
  server = await startPostgres();
});
afterAll(() => server.stop());

/** The stores of several processes: they share only the database. */
async function withStores(count: number, use: (stores: readonly Store[], url: string) => Promise<void>): Promise<void> {
  const url = await server.createDatabase();
  const stores = await Promise.all(Array.from({ length: count }, () => openPostgresStore({ url })));
  try {
    await use(stores, url);
  } finally {
    await Promise.all(stores.map((store) => store.close()));
  }
}

it("many that start at once on an empty database make its schema once", async () => {
  const url = await server.createDatabase("template1");
  const stores = await Promise.all(Array.from({ length: 6 }, () => openPostgresStore({ url })));
  for (const store of stores) await store.ping();
  await Promise.all(stores.map((store) => store.close()));
  const applied = await askPostgres<{ tag: string }>(
    url,
    "SELECT tag FROM signalbox.schema_migration ORDER BY position",
  );
  expect(applied.map(({ tag }) => tag)).toEqual(readJournal(migrationsFolder("postgres")));
});

it("a database of a newer version is rejected, and left as it is", async () => {
  const url = await server.createDatabase();
  await askPostgres(
    url,
    "INSERT INTO signalbox.schema_migration (position, tag, applied_at) VALUES (1000, '9000_later', 0)",
  );
  await expect(openPostgresStore({ url })).rejects.toMatchObject({
    code: "store_unusable",
    message: expect.stringMatching(/newer Signalbox.*9000_later/),
  });
  expect(await askPostgres(url, "SELECT 1 FROM signalbox.schema_migration WHERE tag = '9000_later'")).toHaveLength(1);
});

it("what cannot be used says why, without the password", async () => {
  const url = (await server.createDatabase())
    .replace(/test_\d+/, "nowhere")
    .replace("user=signalbox", "user=signalbox&password=hunter2");
  const rejected: unknown = await openPostgresStore({ url }).catch((error: unknown) => error);
  expect(rejected).toMatchObject({
    code: "store_unusable",
    message: expect.stringContaining("cannot be used as the store: the database does not exist."),
    fix: expect.stringContaining("createdb"),
  });
  expect(String(rejected)).not.toContain("hunter2");
  await expect(openPostgresStore({ url: "postgres://localhost:1/x" })).rejects.toMatchObject({
    code: "store_unusable",
    message: expect.stringMatching(
      /^postgres:\/\/localhost:1\/x cannot be used as the store: no server listens on that host and port\. .*ECONNREFUSED/,
    ),
  });
  const unknown = (await server.createDatabase()).replace("user=signalbox", "user=unknown");
  await expect(openPostgresStore({ url: unknown })).rejects.toMatchObject({
    code: "store_unusable",
    message: expect.stringMatching(/does not allow this connection.*unknown/),
  });
});

it("equal deliveries that race over several processes are accepted once", async () => {
  await withStores(4, async (stores) => {
    for (const key of ["a", "b", "c"]) {
      const answers = await Promise.all(
        stores.flatMap((store) =>
          [1, 2, 3].map(() =>
            store.acceptDelivery({ delivery: aDelivery(), runs: [aRun()], idempotency: { key, notBefore: 0 } }),
          ),
        ),
      );
      expect(answers.map(({ kind }) => kind).toSorted()).toEqual([
        "accepted",
        ...Array.from({ length: 11 }, () => "repeated"),
      ]);
      expect(new Set(answers.flatMap((answer) => (answer.kind === "repeated" ? [answer.deliveryId] : []))).size).toBe(
        1,
      );
    }
  });
});

it("keys that are asked for in different orders never stop each other", async () => {
  await withStores(3, async (stores) => {
    const keys = Array.from({ length: 20 }, (_, n) => `k${n}`);
    const answers = await Promise.all(
      stores.flatMap((store, n) =>
        (n % 2 ? keys : keys.toReversed()).map((key) =>
          store.acceptDelivery({
            delivery: aDelivery(),
            runs: [],
            idempotency: { key, notBefore: 0 },
          }),
        ),
      ),
    );
    expect(answers.filter(({ kind }) => kind === "accepted")).toHaveLength(keys.length);
  });
});

it("runs are claimed exactly once by several processes, and no more of a target at a time than its bound says", async () => {
  await withStores(4, async (stores, url) => {
    const [first] = stores;
    const runs = Array.from({ length: 120 }, (_, n) =>
      aRun({ target: { kind: "workflow", slug: n % 3 === 0 ? "narrow" : "wide" } }),
    );
    await first?.createRuns(runs);
    const limits = limitTo({ "workflow:narrow": 3 });
    const had: string[] = [];
    const most: number[] = [];
    await Promise.all(
      stores.map(async (store, n) => {
        for (let idle = 0; idle < 3;) {
          const claimed = await store.claimRuns(aClaim({ workerId: `wrk_${n}`, limit: 7, limits }));
          idle = claimed.length === 0 ? idle + 1 : 0;
          const [running] = await askPostgres<{ runs: string }>(
            url,
            "SELECT count(*) AS runs FROM run WHERE status = 'running' AND target = 'workflow:narrow'",
          );
          most.push(Number(running?.runs));
          for (const { id, token } of claimed) {
            had.push(id);
            expect(
              await store.writeProgress({
                runId: id,
                token,
                now: 1,
                entries: [],
                transition: { to: "completed", output: null },
              }),
            ).toMatchObject({ held: true });
          }
          // Others may hold the last places.
          if (claimed.length === 0 && (await store.countOpenRuns()).queued > 0) idle = 0;
        }
      }),
    );
    expect(had.toSorted()).toEqual(runs.map(({ id }) => id).toSorted());
    expect(Math.max(...most)).toBeLessThanOrEqual(3);
  });
});

it("queues never exceed their limit, with any number of writers", async () => {
  await withStores(3, async (stores) => {
    const answers = await Promise.all(
      stores.flatMap((store) =>
        Array.from({ length: 10 }, () =>
          store.acceptDelivery({
            delivery: aDelivery(),
            runs: [aRun({ target: { kind: "workflow", slug: "narrow" }, maxQueued: 10 })],
            idempotency: null,
          }),
        ),
      ),
    );
    expect(answers.filter(({ kind }) => kind === "accepted")).toHaveLength(10);
  });
});

it("a process that watches the store is notified of what another writes, and of nothing when it has stopped", async () => {
  await withStores(2, async ([store, other], url) => {
    if (!store || !other) throw new Error("two stores were to open");
    const calls = vi.fn<() => void>();
    const stop = store.watch(calls);
    // Also called at the start.
    await vi.waitFor(() => expect(calls).toHaveBeenCalledTimes(1));
    await other.createRuns([aRun()]);
    await vi.waitFor(() => expect(calls).toHaveBeenCalledTimes(2));
    expect(await listenersOf(url)).toBe(0);
    stop();
    await store.createRuns([aRun()]);
    await new Promise(process.nextTick);
    expect(calls).toHaveBeenCalledTimes(2);
  });
});

const listenersOf = async (url: string) =>
  Number(
    (
      await askPostgres<{ count: string }>(
        url,
        "SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() AND application_name = 'signalbox listener'",
      )
    )[0]?.count,
  );

/** Calls of a run host's listener, without the checks that it makes every two seconds. */
async function withHost(use: (p: { host: Store; other: Store; calls: Mock; url: string }) => Promise<void>) {
  vi.useFakeTimers({ toFake: ["setInterval"] });
  await withStores(2, async ([host, other], url) => {
    if (!host || !other) throw new Error("two stores were to open");
    const calls = vi.fn<() => void>();
    const stop = host.watchRuns(calls);
    // Also called when it begins to listen.
    await vi.waitFor(() => expect(calls).toHaveBeenCalledTimes(1));
    await use({ host, other, calls, url });
    stop();
  }).finally(() => vi.useRealTimers());
}

it("a run host is woken by the due runs and the cancellations of others, not by its own", async () => {
  await withHost(async ({ host, other, calls, url }) => {
    expect(await listenersOf(url)).toBe(1);
    const run = aRun();
    await host.createRuns([run]);
    await other.createRuns([aRun()]);
    await vi.waitFor(() => expect(calls).toHaveBeenCalledTimes(2));
    const claimed = await host.claimRuns(aClaim());
    expect(claimed).toHaveLength(2);
    await other.requestCancel(run.id, Date.now());
    await vi.waitFor(() => expect(calls).toHaveBeenCalledTimes(3));
    const next = claimed.find(({ id }) => id !== run.id);
    if (!next) throw new Error("two runs were to be claimed");
    const { id: runId, token } = next;
    const availableAt = Date.now() + 60_000;
    const transition = { to: "waiting", reason: "sleep", availableAt } as const;
    await other.writeProgress({ runId, token, now: Date.now(), entries: [], transition });
    await vi.waitFor(() => expect(calls).toHaveBeenCalledTimes(4));
  });
});

it("a run host is not woken by deliveries, assigned runs, steps and ends of others, unless the end frees a limited target", async () => {
  await withHost(async ({ other, calls, url }) => {
    const assignment = { workerId: "wrk_b", token: "a token", leaseUntil: Date.now() + 10_000 };
    const assigned = aRun({ assignment });
    await other.recordDelivery(aDelivery());
    await other.acceptDelivery({ delivery: aDelivery(), runs: [assigned], idempotency: null });
    const progress = { runId: assigned.id, token: assignment.token, now: Date.now(), entries: [] };
    await other.writeProgress(progress);
    await other.writeProgress({ ...progress, transition: { to: "completed", output: null } });
    const limited = aRun({ concurrency: aConcurrency({ limit: 1 }), assignment: { ...assignment, token: "another" } });
    await other.acceptDelivery({ delivery: aDelivery(), runs: [limited], idempotency: null });
    const notify = () => askPostgres(url, "SELECT pg_notify('signalbox_runs', 'test')");
    await notify();
    await vi.waitFor(() => expect(calls).toHaveBeenCalledTimes(2));
    const ended = { ...progress, runId: limited.id, token: "another" };
    await other.writeProgress({ ...ended, transition: { to: "completed", output: null } });
    await vi.waitFor(() => expect(calls).toHaveBeenCalledTimes(3));
    await notify();
    await vi.waitFor(() => expect(calls).toHaveBeenCalledTimes(4));
  });
});

it("the process that shows what a model says is notified of it at once, and history stays as it is", async () => {
  await withStores(2, async ([web, worker]) => {
    if (!web || !worker) throw new Error("two stores were to open");
    await worker.createRuns([aRun({ target: { kind: "agent", slug: "triage" } })]);
    const [run] = await worker.claimRuns(aClaim());
    if (!run) throw new Error("the run was to be due");
    const listening = Promise.withResolvers<void>();
    const heard = Promise.withResolvers<unknown>();
    const stop = web.watch(() => {
      listening.resolve();
      void web.getLive(run.id).then((live) => live && heard.resolve(live.said));
    });
    await listening.promise;
    const [history, mark] = [await web.mark(), await web.liveMark()];
    await worker.saveLive({
      runId: run.id,
      token: run.token,
      step: "model 1",
      attempt: 1,
      startedAt: 1,
      now: 2,
      said: { text: "Hello" },
    });
    expect(await heard.promise).toEqual({ text: "Hello" });
    expect(await web.mark()).toEqual(history);
    expect(await web.liveMark()).not.toBe(mark);
    stop();
  });
});

it("more counts than one fold adds are each counted once, over several folds", async () => {
  await withStores(1, async ([store], url) => {
    const receivedAt = 1_800_000_000_000;
    const [deliveries, triggers] = [60, 100];
    await Promise.all(
      Array.from({ length: deliveries }, (_, n) => {
        const verdicts = Array.from({ length: triggers }, (_, at) => aVerdict({ attachmentId: `t${n}-${at}:x${at}` }));
        return store?.recordDelivery(aDelivery({ receivedAt, endpoint: `e${n}`, verdicts }));
      }),
    );
    await vi.waitFor(async () => expect(await askPostgres(url, "SELECT 1 FROM traffic_log")).toEqual([]), {
      interval: 200,
    });
    const ofVerdicts = "bucket_ms = 3600000 AND attachment_id <> '' AND attachment_id NOT LIKE '*%'";
    expect(
      await askPostgres(url, `SELECT count(*)::int AS rows, sum(count)::int AS sum FROM traffic WHERE ${ofVerdicts}`),
    ).toEqual([{ rows: deliveries * triggers, sum: deliveries * triggers }]);
  });
});

it("counts that several processes add up at once are each counted once", async () => {
  await withStores(3, async (stores, url) => {
    const receivedAt = 1_800_000_000_000;
    const verdicts = [0, 1, 2, 3].map((n) => aVerdict({ attachmentId: `t${n}:x` }));
    for (let round = 0; round < 3; round += 1) {
      await Promise.all(
        stores.flatMap((store) =>
          Array.from({ length: 5 }, () => store.recordDelivery(aDelivery({ receivedAt, verdicts }))),
        ),
      );
    }
    // Folding begins two seconds after the first count.
    await vi.waitFor(async () => expect(await askPostgres(url, "SELECT 1 FROM traffic_log")).toEqual([]), {
      interval: 200,
    });
    const window = { since: receivedAt - 3_600_000, until: receivedAt + 3_600_000, bucketMs: 60_000 } as const;
    for (const store of stores) {
      expect((await store.countDeliveries({ ...window, endpoints: ["signup"] })).map(({ count }) => count)).toEqual([
        45,
      ]);
      expect(
        (await store.countVerdicts({ ...window, endpoints: ["signup"] })).verdicts.map(({ count }) => count),
      ).toEqual([45, 45, 45, 45]);
    }
  });
});

it("text of every kind survives, in names, messages and keys", async () => {
  await withStores(1, async ([store]) => {
    if (!store) throw new Error("a store was to open");
    const text = fc.string({
      unit: fc.oneof(
        fc.constantFrom("\0", "\ud800", "\ufffe", "'", "\\", '"', "{", ","),
        fc.string({ unit: "binary", maxLength: 1 }),
      ),
      minLength: 1,
      maxLength: 20,
    });
    await fc.assert(
      fc.asyncProperty(text, async (message) => {
        const run = aRun();
        await store.createRuns([run]);
        const [claimed] = await store.claimRuns(aClaim());
        if (!claimed) throw new Error("a run was to be due");
        const error = { name: message, message, stack: message };
        await store.writeProgress({
          runId: run.id,
          token: claimed.token,
          now: 1,
          entries: [{ at: 1, kind: "log", attempt: 1, message, data: { [message]: message } }],
          transition: { to: "failed", error },
        });
        expect((await store.getRun(run.id))?.error).toEqual(error);
        expect((await store.listTimeline(run.id, { after: 0, limit: 10 })).at(-1)).toMatchObject({
          message,
          data: { [message]: message },
        });
        const accept = () =>
          store.acceptDelivery({
            delivery: aDelivery({ endpoint: message }),
            runs: [],
            idempotency: { key: message, notBefore: 0 },
          });
        await accept();
        expect(await accept()).toMatchObject({ kind: "repeated" });
      }),
      { numRuns: 30 },
    );
  });
});

it("a connection that is cut fails what is under way, and the next verb has a new one", async () => {
  await withStores(1, async ([store], url) => {
    if (!store) throw new Error("a store was to open");
    await store.createRuns([aRun()]);
    const stop = store.watchRuns(() => {});
    const holder = new Client({ connectionString: url, options: "-c search_path=signalbox" });
    await holder.connect();
    await holder.query("BEGIN; LOCK TABLE run IN ACCESS EXCLUSIVE MODE");
    const rejected = store.createRuns([aRun()]).catch((error: unknown) => error);
    await vi.waitFor(
      async () =>
        expect(
          await askPostgres(
            url,
            "SELECT 1 FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND datname = current_database()",
          ),
        ).not.toEqual([]),
      { interval: 50 },
    );
    // Each is awaited: until it ends, the pool may use it, and would be right to fail.
    const ended = await askPostgres<{ ended: boolean }>(
      url,
      "SELECT pg_terminate_backend(pid, 10000) AS ended FROM pg_stat_activity WHERE application_name LIKE 'signalbox%' AND datname = current_database()",
    );
    expect(ended.every((one) => one.ended)).toBe(true);
    expect(await rejected).toMatchObject({ code: "store_unavailable" });
    await holder.query("ROLLBACK");
    await holder.end();
    await store.createRuns([aRun()]);
    expect((await store.countOpenRuns()).queued).toBe(2);
    stop();
  });
});

it("says that it is closed, having written what waited", async () => {
  const url = await server.createDatabase();
  const store = await openPostgresStore({ url });
  const run = aRun();
  const written = store.createRuns([run]);
  await store.close();
  await written;
  await expect(store.createRuns([aRun()])).rejects.toMatchObject({ code: "store_unavailable" });
  await expect(store.getRun(run.id)).rejects.toMatchObject({ code: "store_unavailable" });
  const again = await openPostgresStore({ url });
  expect(await again.getRun(run.id)).not.toBeNull();
  await again.close();
});
