import * as fc from "fast-check";
import { Client } from "pg";
import { afterAll, beforeAll, expect, it, vi } from "vitest";
import { askPostgres } from "../../../scripts/ask-postgres.ts";
import { migrationsFolder } from "../../paths.ts";
import type { Store } from "../../ports/store.ts";
import { readJournal } from "../shared/migration-journal.ts";
import { aClaim, aDelivery, aRun, aVerdict } from "../testing/factories.ts";
import { type PostgresServer, startPostgres } from "../testing/postgres-server.ts";
import { openPostgresStore } from "./open-store.ts";

vi.setConfig({ testTimeout: 60_000 });

let server: PostgresServer;
beforeAll(async () => {
  server = await startPostgres();
}, 300_000);
afterAll(() => server.stop());

/** As so many processes have them: nothing is shared but the database. */
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
  const applied = await askPostgres<{ tag: string }>(url, "SELECT tag FROM schema_migration ORDER BY position");
  expect(applied.map(({ tag }) => tag)).toEqual(readJournal(migrationsFolder("postgres")));
});

it("a database of a newer version is refused, and left as it is", async () => {
  const url = await server.createDatabase();
  await askPostgres(url, "INSERT INTO schema_migration (position, tag, applied_at) VALUES (1000, '9000_later', 0)");
  await expect(openPostgresStore({ url })).rejects.toMatchObject({
    code: "store_unusable",
    message: expect.stringMatching(/newer Signalbox.*9000_later/),
  });
  expect(await askPostgres(url, "SELECT 1 FROM schema_migration WHERE tag = '9000_later'")).toHaveLength(1);
});

it("what cannot be used says why, without the password", async () => {
  const url = (await server.createDatabase())
    .replace(/test_\d+/, "nowhere")
    .replace("user=signalbox", "user=signalbox&password=hunter2");
  const refused: unknown = await openPostgresStore({ url }).catch((error: unknown) => error);
  expect(refused).toMatchObject({
    code: "store_unusable",
    message: expect.stringContaining("cannot be used as the store: the database does not exist."),
    fix: expect.stringContaining("createdb"),
  });
  expect(String(refused)).not.toContain("hunter2");
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
    const concurrency = new Map([["workflow:narrow", 3]]);
    const had: string[] = [];
    const most: number[] = [];
    await Promise.all(
      stores.map(async (store, n) => {
        for (let idle = 0; idle < 3;) {
          const claimed = await store.claimRuns(aClaim({ workerId: `wrk_${n}`, limit: 7, concurrency }));
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

it("one process hears at once of what another writes, and of nothing when it no longer listens", async () => {
  // By themselves they look every two seconds: never, here.
  vi.useFakeTimers({ toFake: ["setInterval"] });
  await withStores(2, async ([store, other]) => {
    if (!store || !other) throw new Error("two stores were to open");
    let calls = 0;
    let heard = Promise.withResolvers<void>();
    const stop = store.watch(() => {
      calls += 1;
      heard.resolve();
    });
    // Told when it begins to listen, too.
    await heard.promise;
    heard = Promise.withResolvers();
    const marks = [await store.mark()];
    await other.createRuns([aRun()]);
    await heard.promise;
    marks.push(await store.mark());
    expect(marks[0]).not.toBe(marks[1]);
    stop();
    const before = calls;
    await store.createRuns([aRun()]);
    await new Promise(process.nextTick);
    expect(calls).toBe(before);
  }).finally(() => vi.useRealTimers());
});

it("a process that watches only others does not hear of its own writes", async () => {
  // By themselves they look every two seconds: never, here.
  vi.useFakeTimers({ toFake: ["setInterval"] });
  await withStores(2, async ([store, other]) => {
    if (!store || !other) throw new Error("two stores were to open");
    const [own, others] = [vi.fn<() => void>(), vi.fn<() => void>()];
    const stops = [store.watch(own), store.watchOthers(others)];
    // Told when it begins to listen, too.
    await vi.waitFor(() => expect(others).toHaveBeenCalledTimes(1));
    const before = own.mock.calls.length;
    await store.createRuns([aRun()]);
    await vi.waitFor(() => expect(own.mock.calls.length).toBeGreaterThan(before));
    expect(others).toHaveBeenCalledTimes(1);
    await other.createRuns([aRun()]);
    await vi.waitFor(() => expect(others).toHaveBeenCalledTimes(2));
    for (const stop of stops) stop();
  }).finally(() => vi.useRealTimers());
});

it("what a model says to a worker is heard of at once by the process that shows it, and history stays as it is", async () => {
  // By themselves they look every two seconds: never, here.
  vi.useFakeTimers({ toFake: ["setInterval"] });
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
    expect(await web.mark()).toBe(history);
    expect(await web.liveMark()).not.toBe(mark);
    stop();
  }).finally(() => vi.useRealTimers());
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
      timeout: 20_000,
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
    const stop = store.watch(() => {});
    const holder = new Client(url);
    await holder.connect();
    await holder.query("BEGIN; LOCK TABLE run IN ACCESS EXCLUSIVE MODE");
    const refused = store.createRuns([aRun()]).catch((error: unknown) => error);
    await vi.waitFor(
      async () =>
        expect(
          await askPostgres(
            url,
            "SELECT 1 FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND datname = current_database()",
          ),
        ).not.toEqual([]),
      { timeout: 20_000, interval: 50 },
    );
    await askPostgres(
      url,
      "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name LIKE 'signalbox%' AND datname = current_database()",
    );
    expect(await refused).toMatchObject({ code: "store_unavailable" });
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
