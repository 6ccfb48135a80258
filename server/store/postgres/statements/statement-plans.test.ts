import { Client } from "pg";
import { afterAll, afterEach, beforeAll, beforeEach, expect, it, vi } from "vitest";
import { leaseMs } from "../../../domain/runs/lease.ts";
import type { RunProgress } from "../../../ports/store/engine-store.ts";
import type { Store } from "../../../ports/store.ts";
import { aClaim, aConcurrency, aDelivery, aResume, aRun, epoch, limitTo } from "../../testing/factories.ts";
import { type PostgresServer, startPostgres } from "../../testing/postgres-server.ts";
import { openPostgresStore } from "../open-store.ts";
import { listenerName } from "../connection/connect.ts";
import { askPostgres } from "../../../../scripts/ask-postgres.ts";

let server: PostgresServer;
beforeAll(async () => {
  server = await startPostgres();
});
afterAll(() => server.stop());

/** Connections for migrations have longer timeouts. */
const migrationMs = 60_000;
/** The prepared statements of the store: each with a connection that has it. */
const prepared = new Map<string, { client: Client; name: string; parameters: number }>();
const query = Client.prototype.query;
beforeEach(() => {
  prepared.clear();
  Client.prototype.query = function (this: Client, ...given: unknown[]) {
    const [config] = given as [{ name?: string; text: string; values?: unknown[] }];
    const { application_name: application, query_timeout: timeout } = Reflect.get(this, "connectionParameters");
    const isOfStore = application?.startsWith("signalbox ") && application !== listenerName && timeout < migrationMs;
    if (isOfStore && config.name !== undefined)
      prepared.set(config.text, { client: this, name: config.name, parameters: config.values?.length ?? 0 });
    return Reflect.apply(query, this, given);
  } as typeof query;
});
afterEach(() => {
  Client.prototype.query = query;
});

interface Plan {
  "Node Type": string;
  "Relation Name"?: string;
  "Index Name"?: string;
  "Index Cond"?: string;
  "Function Name"?: string;
  Plans?: Plan[];
}

/** They grow with every webhook. */
const growing = new Set(["delivery", "run", "run_event", "run_step", "idempotency_key"]);
/** They have open runs only, and their operations read all of these. */
const ofOpenRuns = new Set(["run_queued_by_target", "run_held"]);

/** The steps of a plan that read a whole table or index, however large. A limited one reads only its beginning. */
function listWholeScans(plan: Plan, p: { isLimited: boolean; bitmapOf?: string }): string[] {
  const type = plan["Node Type"];
  const table = plan["Relation Name"] ?? p.bitmapOf ?? "";
  const isRead = growing.has(table) && /^(Seq|Index|Index Only|Bitmap Index) Scan$/.test(type);
  const isBounded = plan["Index Cond"] !== undefined || ofOpenRuns.has(plan["Index Name"] ?? "");
  const isWhole = isRead && !isBounded && !(p.isLimited && type !== "Seq Scan");
  const isLimited = type === "Limit" || (p.isLimited && !/Sort|Aggregate|Hash/.test(type));
  const below = { isLimited, ...(type === "Bitmap Heap Scan" ? { bitmapOf: table } : {}) };
  return [
    ...(isWhole ? [`${type} of ${table} ${plan["Index Name"] ?? ""}`] : []),
    ...(plan.Plans ?? []).flatMap((part) => listWholeScans(part, below)),
  ];
}

/** The tables below a step of a plan. */
const listTables = (plan: Plan): string[] => [
  ...(plan["Relation Name"] === undefined ? [] : [plan["Relation Name"]]),
  ...(plan.Plans ?? []).flatMap(listTables),
];

const hasFunction = (plan: Plan): boolean =>
  plan["Function Name"] === "unnest" || (plan["Node Type"] === "Materialize" && (plan.Plans ?? []).some(hasFunction));

/** Joins that compare each row of a table that grows with each parameter: the square of a batch, or worse. */
function listSquares(plan: Plan): string[] {
  const [outer, inner] = plan.Plans ?? [];
  const tables = plan["Node Type"] === "Nested Loop" && outer && inner && hasFunction(inner) ? listTables(outer) : [];
  return [
    ...tables.filter((table) => growing.has(table)).map((table) => `each row of ${table} with each parameter`),
    ...(plan.Plans ?? []).flatMap(listSquares),
  ];
}

/** The plan that a connection uses for a statement when it has stopped to plan it for each execution. */
async function readPlan({ client, name, parameters }: { client: Client; name: string; parameters: number }) {
  const run = (text: string): Promise<{ rows: { "QUERY PLAN": [{ Plan: Plan }] }[] }> =>
    Reflect.apply(query, client, [text]);
  await run("SET plan_cache_mode = force_generic_plan");
  const values = parameters === 0 ? "" : `(${Array.from({ length: parameters }, () => "NULL").join(", ")})`;
  const { rows } = await run(`EXPLAIN (FORMAT JSON) EXECUTE ${name}${values}`);
  const plan = rows[0]?.["QUERY PLAN"][0].Plan;
  if (!plan) throw new Error("There is no plan");
  return plan;
}

it("no statement that is planned while the tables are empty reads all of a table when it has grown", async () => {
  const store = await server.openStore();
  await useAll(store);
  const found: { text: string; scans: string[] }[] = [];
  for (const [text, statement] of prepared) {
    if (!/^\s*(SELECT|INSERT|UPDATE|DELETE|WITH)/.test(text)) continue;
    const plan = await readPlan(statement);
    const scans = [...listWholeScans(plan, { isLimited: false }), ...listSquares(plan)];
    if (scans.length > 0) found.push({ text, scans });
  }
  expect(found).toEqual([]);
  // Without the operations above, the test would look at nothing.
  expect(prepared.size).toBeGreaterThan(40);
  await store.close();
});

/** What the receiver, hosts and workers do all the time. */
async function useAll(store: Store): Promise<void> {
  let now = epoch;
  for (let n = 0; n < 2; n += 1) {
    now += 60_000;
    const delivery = aDelivery({ receivedAt: now });
    const idempotency = { key: "a", notBefore: epoch };
    const assignment = { workerId: "wrk_a", token: `token ${n}`, leaseUntil: now + leaseMs, payloadText: null };
    const runs = ["assigned", "slept", "retried", "canceled", "lost", "failed"].map((slug, at) =>
      aRun({
        createdAt: now,
        deliveryId: delivery.id,
        target: { kind: "workflow", slug },
        ...(at === 0 ? { assignment } : {}),
        ...(at === 1 ? { concurrency: aConcurrency({ limit: 5 }), maxQueued: 100 } : {}),
      }),
    );
    await store.acceptDelivery({ delivery, runs, idempotency });
    await store.acceptDelivery({ delivery: { ...delivery, id: aDelivery().id }, runs: [], idempotency });
    const limits = limitTo({ "workflow:slept": 5 });
    const claimed = await store.claimRuns(aClaim({ limits, now, version: "v1" }));
    const holds = [{ id: runs[0]?.id ?? "", token: assignment.token }, ...claimed];
    await store.extendLeases({ runs: holds, now, leaseMs });
    await store.listCancelRequested(holds.map(({ id }) => id));
    await store.listHeldRuns("wrk_a");
    const transitions = [
      { to: "completed", output: null },
      { to: "waiting", reason: "sleep", availableAt: now + 10 },
      { to: "waiting", reason: "retry", availableAt: now + 10 },
    ] as const;
    for (const [at, transition] of transitions.entries()) {
      const { id: runId = "", token = "" } = holds[at] ?? {};
      const step = {
        name: "a",
        kind: "step",
        attempt: 1,
        startedAt: now,
        finishedAt: now,
        until: null,
        result: 1,
        sequence: 1,
      } as const;
      await store.writeProgress({
        runId,
        token,
        now,
        entries: [],
        input: {},
        steps: [step],
        spend: { tokens: 1, costUsd: 1 },
      });
      await store.saveLive({ runId, token, step: "a", attempt: 1, startedAt: now, now, said: [] });
      await store.writeProgress({ runId, token, now, entries: [], clearsLive: true, transition });
    }
    for (const { id } of runs.slice(3, 4)) await store.requestCancel(id, now);
    const fate = { kind: "resume" } as const;
    await store.releaseLostRuns({
      workerId: "wrk_a",
      now,
      message: "lost",
      runs: holds.slice(4).map(({ id }) => ({ id, fate })),
    });
    await store.reconcile(now + leaseMs + 1);
    await store.nextAvailableAt("shared", now);
    await store.countQueued("shared");
    await store.listDueRuns({ pools: ["shared", "isolated"], now, limits, limit: 10 });
    await store.countOpenRuns();
    await store.listQueueDepths?.();
    await store.mark();
    await store.removeOldDeliveries({ before: now, keysSince: now, after: null });
    await store.removeOldRuns({ before: now, after: null });
    await store.resumeRuns([aResume({ id: runs[2]?.id ?? "" })], now);
    await executeKeyed(store, now);
    await executeFamily(store, now, 100);
  }
}

/** A run that calls others: one of them ends, the call of another times out, and the parent fails and is resumed. */
async function executeFamily(store: Store, now: number, limit: number): Promise<void> {
  const target = { kind: "workflow", slug: "parent" } as const;
  const parent = aRun({ target, createdAt: now });
  const names = ["ends", "times out", "is canceled"];
  const children = names.map((step) =>
    aRun({ createdAt: now, deliveryId: null, child: { of: parent.id, step, link: "call", depth: 1 } }),
  );
  const aStep = { kind: "child" as const, attempt: 1, startedAt: now, finishedAt: null, sequence: null };
  const steps = children.map(({ id: runId, child }, at) => ({
    ...aStep,
    name: child?.step ?? "",
    until: at === 1 ? now : null,
    result: { runId },
  }));
  await store.createRuns([parent]);
  const isWaiting = { to: "waiting", reason: "sleep", availableAt: now + 1e6 } as const;
  const claim = () => store.claimRuns(aClaim({ now, limit }));
  const write = (run: { id: string; token: string } | undefined, p: Partial<RunProgress>) =>
    store.writeProgress({ runId: run?.id ?? "", token: run?.token ?? "", now, entries: [], ...p });
  const held = (await claim()).find(({ id }) => id === parent.id);
  await write(held, { steps, children });
  await write(held, { awaitsChildren: true, transition: isWaiting });
  await store.findWaits({ ids: [parent.id], limits: new Map(), now });
  const claimed = await claim();
  const child = claimed.find(({ id }) => id === children[0]?.id);
  await write(child, { transition: { to: "completed", output: null } });
  while (await store.settleRuns({ now, limit: 10 }));
  const again = claimed.find(({ id }) => id === parent.id) ?? (await claim()).find(({ id }) => id === parent.id);
  await write(again, { transition: { to: "failed", error: null } });
  while (await store.settleRuns({ now, limit: 10 }));
  await store.listDescendants({ runId: parent.id, limit: 10 });
  await store.listRuns({ childOf: parent.id }, { limit: 10, cursor: null });
  expect(await store.resumeRuns([aResume({ id: parent.id, seenAttempt: 1 })], now)).toEqual([null]);
}

/** Runs of one key: they wait, sleep without their slot, fail and block the key, and are replayed. */
async function executeKeyed(store: Store, now: number): Promise<void> {
  const concurrency = aConcurrency({ limit: 9, perKey: 1, whileWaiting: "release", onFailure: "block" });
  const limits = new Map([["workflow:keyed", concurrency]]);
  await store.applyLimits({ limits, now });
  const keyed = { target: { kind: "workflow", slug: "keyed" }, key: "k", concurrency, createdAt: now } as const;
  const runs = [aRun(keyed), aRun(keyed), aRun(keyed), aRun(keyed)];
  await store.createRuns(runs);
  await store.findWaits({ ids: runs.map(({ id }) => id), limits, now });
  const transitions = [
    { to: "waiting", reason: "sleep", availableAt: now },
    { to: "failed", error: null },
  ] as const;
  for (const transition of transitions)
    for (const { id: runId, token } of await store.claimRuns(aClaim({ limits, now })))
      await store.writeProgress({ runId, token, now, entries: [], transition });
  await store.createRuns([aRun({ ...keyed, replayOf: runs[1]?.id ?? null })]);
  for (const { id: runId, token } of await store.claimRuns(aClaim({ limits, now })))
    await store.writeProgress({ runId, token, now, entries: [], transition: { to: "completed", output: null } });
  await store.claimRuns(aClaim({ limits, now }));
  await store.listRuns({ waitsForKey: true }, { limit: 10, cursor: null });
  await store.listRuns({ waitsForEvent: "order-shipped" }, { limit: 10, cursor: null });
  await store.applyLimits({ limits: new Map([["workflow:keyed", aConcurrency({ perKey: 2 })]]), now });
}

/** Claims runs, extends their leases and ends them. Returns their number. */
async function claimAndEnd(store: Store): Promise<number> {
  const claimed = await store.claimRuns(aClaim({ now: epoch, limit: runsOfClaim }));
  expect(claimed.length).toBeGreaterThan(0);
  await store.extendLeases({ runs: claimed.map(({ id, token }) => ({ id, token })), now: epoch, leaseMs });
  await Promise.all(
    claimed.map(({ id: runId, token }) =>
      store.writeProgress({ runId, token, now: epoch, entries: [], transition: { to: "completed", output: null } }),
    ),
  );
  return claimed.length;
}

const queueRuns = (store: Store, count: number) =>
  store.createRuns(Array.from({ length: count }, () => aRun({ createdAt: epoch })));

/** Accepts deliveries that start no run, each with its own key. */
async function acceptKeys(store: Store, count: number): Promise<void> {
  const keys = Array.from({ length: count }, (_, n) => ({ key: `${n} ${performance.now()}`, notBefore: epoch }));
  const accept = (idempotency: (typeof keys)[number]) =>
    store.acceptDelivery({ delivery: aDelivery({ receivedAt: epoch }), runs: [], idempotency });
  await Promise.all(keys.map(accept));
}

/** Afterwards, Postgres expects an empty table, however many pages it gets. */
async function analyzeEmptyQueue(url: string, store: Store): Promise<void> {
  await queueRuns(store, 1);
  await claimAndEnd(store);
  await askPostgres(url, "ANALYZE");
  const facts = "SELECT relpages > 0 AND reltuples = 0 AS is_empty FROM pg_class WHERE relname = 'run_in_queue'";
  expect(await askPostgres(url, facts)).toEqual([{ is_empty: true }]);
}

/** Afterwards, Postgres expects this many open runs, and indexes with the entries of all that ended. */
async function analyzeEndedQueue(url: string, store: Store, open: number): Promise<void> {
  const snapshot = new Client(url);
  await snapshot.connect();
  await snapshot.query("BEGIN ISOLATION LEVEL REPEATABLE READ; SELECT 1");
  await queueRuns(store, ended);
  for (let left = ended; left > 0;) left -= await claimAndEnd(store);
  if (open > 0) await queueRuns(store, open);
  await askPostgres(url, "ANALYZE");
  await snapshot.end();
}

/** Afterwards, Postgres expects one run and one key, however many pages their tables get. */
async function analyzeRemovedRows(url: string, store: Store): Promise<void> {
  await queueRuns(store, ended);
  for (let left = ended; left > 0;) left -= await claimAndEnd(store);
  await acceptKeys(store, ended);
  await askPostgres(url, "DELETE FROM signalbox.run; DELETE FROM signalbox.idempotency_key");
  await queueRuns(store, 1);
  await acceptKeys(store, 1);
  await askPostgres(url, "ANALYZE signalbox.run, signalbox.idempotency_key");
}

it.each<{ statistics: string; prepare: (url: string, store: Store) => Promise<void> }>([
  { statistics: "none", prepare: async () => {} },
  { statistics: "gathered while the queue was empty", prepare: analyzeEmptyQueue },
  { statistics: "gathered after many runs, with none open", prepare: (url, store) => analyzeEndedQueue(url, store, 0) },
  { statistics: "gathered after many runs, with one open", prepare: (url, store) => analyzeEndedQueue(url, store, 1) },
  { statistics: "gathered after the rows were removed", prepare: analyzeRemovedRows },
])(
  "claims, leases, ends, keys, child runs and a page of queued runs read a few entries of indexes, however long the tables are; statistics: $statistics",
  async ({ prepare }) => {
    const url = await server.createDatabase();
    const filling = await openPostgresStore({ url });
    await prepare(url, filling);
    await queueRuns(filling, queued);
    await acceptKeys(filling, queued);
    await filling.close();
    const before = await countReads(url);
    const store = await openPostgresStore({ url });
    for (let n = 0; n < claims; n += 1) {
      await claimAndEnd(store);
      // They are due before the others.
      await executeFamily(store, epoch - 1, 3);
      await acceptKeys(store, runsOfClaim);
      const page = await store.listRuns({ status: "queued" }, { limit: 10, cursor: null });
      expect(page.data).toHaveLength(10);
    }
    await store.close();
    const after = await countReads(url);
    const reads = after.map(({ index, entries }, at) => ({ index, entries: entries - (before[at]?.entries ?? 0) }));
    expect(reads.find(({ index }) => index === "run_in_queue")?.entries).toBeGreaterThanOrEqual(claims * runsOfClaim);
    // A statement that reads a whole index reads all these entries each time.
    expect(reads.filter(({ entries }) => entries > queued)).toEqual([]);
  },
);

const queued = 10_000;
const ended = 2_000;
const runsOfClaim = 100;
/** More than the five executions after which Postgres keeps the plan of a statement. */
const claims = 8;

/**
 * The entries that were read in each index of runs and keys. A connection reports what it has read when it ends,
 * at the latest, and it ends some time after it was closed here.
 */
async function countReads(url: string): Promise<{ index: string; entries: number }[]> {
  const client = new Client(url);
  await client.connect();
  const othersText =
    "SELECT count(*)::int AS others FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid() AND backend_type = 'client backend'";
  await vi.waitFor(
    async () => expect((await client.query<{ others: number }>(othersText)).rows).toEqual([{ others: 0 }]),
    { interval: 10 },
  );
  const text = `
    SELECT indexrelname AS index, idx_tup_read::int AS entries FROM pg_stat_all_indexes
    WHERE relname IN ('run', 'idempotency_key') ORDER BY indexrelname`;
  const { rows } = await client.query<{ index: string; entries: number }>(text);
  await client.end();
  return rows;
}
