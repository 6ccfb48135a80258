import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { startCluster } from "../../scripts/postgres-cluster.ts";
import type { EventMatch } from "../../server/contract/run.ts";
import { newId } from "../../server/domain/ids.ts";
import { keyOfWait } from "../../server/domain/runs/event-waits.ts";
import type { EventWait } from "../../server/ports/store/engine-store.ts";
import type { Store } from "../../server/ports/store.ts";
import { openPostgresStore } from "../../server/store/postgres/open-store.ts";
import { openSqliteStore } from "../../server/store/sqlite/open-store.ts";
import { aClaim, aDelivery, aRun } from "../../server/store/testing/factories.ts";
import { copyWaitOnPostgres, copyWaitOnSqlite, type WaitCopy } from "./copy-waits.ts";
import { cpuMsOf } from "../service/process-tree.ts";
import { median } from "./statistics.ts";

export interface WaitCost {
  store: string;
  what: string;
  /** Deliveries per second. */
  perSecond: number;
  /** Of a delivery, in this process and in the database. */
  cpuUs: number;
  /** The times of a delivery to those of one without waiting runs. */
  ratio: number | null;
  cpuRatio: number | null;
  goal: string;
}

interface OpenedStore {
  store: Store;
  /** Copies the only waiting run. */
  copyWait: (runId: string, copies: readonly WaitCopy[]) => Promise<void>;
}

const source = "order-shipped";
const day = 86_400_000;
const manyAtOnce = 100;
const matchOf = (order: string): EventMatch => ({ "/order/id": order });

/** What runs that wait for events cost each webhook of their source, on both stores. The sides of a store take turns. */
export async function measureWaits({ waits, rounds }: { waits: number; rounds: number }): Promise<WaitCost[]> {
  const folder = mkdtempSync(join(tmpdir(), "signalbox-bench-waits-"));
  const cluster = await startCluster();
  let files = 0;
  const opens: Record<string, () => Promise<OpenedStore>> = {
    SQLite: async () => {
      const file = join(folder, `${(files += 1)}.db`);
      return {
        store: await openSqliteStore({ file }),
        copyWait: async (runId, copies) => copyWaitOnSqlite(file, runId, copies),
      };
    },
    Postgres: async () => {
      const database = `waits_${(files += 1)}`;
      await cluster.createDatabase(database);
      const url = cluster.url(database);
      return {
        store: await openPostgresStore({ url }),
        copyWait: (runId, copies) => copyWaitOnPostgres(url, runId, copies),
      };
    },
  };
  const cpuMs = () => {
    const { user, system } = process.cpuUsage();
    return (user + system) / 1000 + cpuMsOf(cluster.pid());
  };
  try {
    const costs: WaitCost[] = [];
    for (const [name, open] of Object.entries(opens))
      costs.push(...(await measureStore(name, open, { waits, rounds, cpuMs })));
    return costs;
  } finally {
    await cluster.remove();
    rmSync(folder, { recursive: true, force: true });
  }
}

async function measureStore(
  name: string,
  open: () => Promise<OpenedStore>,
  { waits, rounds, cpuMs }: { waits: number; rounds: number; cpuMs: () => number },
): Promise<WaitCost[]> {
  const [none, one, many] = [await open(), await open(), await open()];
  await startWaiting(one.store);
  const runId = await startWaiting(many.store);
  await many.copyWait(
    runId,
    Array.from({ length: waits - 1 }, (_, n) => {
      const match = matchOf(`A${n}`);
      return { runId: newId("run"), match, matchKey: keyOfWait({ source, match }) };
    }),
  );
  let next = 0;
  const other = () => `B${(next += 1)}`;
  let woken = 0;
  const awaited = () => `A${(woken += 1)}`;
  const [noWait, oneWait, manyWaits] = ["no wait", "one wait", `${waits.toLocaleString("en")} waits`];
  const sidesAt = (load: string, atOnce: number, count: number): Record<string, () => Promise<Time>> => ({
    [`${noWait}, ${load}`]: () => deliverAll(none.store, other, { atOnce, count, cpuMs }),
    [`${oneWait}, ${load}`]: () => deliverAll(one.store, other, { atOnce, count, cpuMs }),
    [`${manyWaits}, ${load}`]: () => deliverAll(many.store, other, { atOnce, count, cpuMs }),
    [`${manyWaits}, each wakes a run, ${load}`]: () =>
      deliverAll(many.store, awaited, { atOnce, count: Math.max(atOnce, count / 5), cpuMs }),
  });
  const loads = { [`${manyAtOnce} at once`]: [manyAtOnce, 1_000], "one at a time": [1, 50] } as const;
  const sides = Object.assign(
    {},
    ...Object.entries(loads).map(([load, [atOnce, count]]) => sidesAt(load, atOnce, count)),
  ) as Record<string, () => Promise<Time>>;
  const times = new Map(Object.keys(sides).map((side) => [side, [] as Time[]]));
  for (let round = -1; round < rounds; round += 1)
    for (const [side, measure] of Object.entries(sides)) {
      const time = await measure();
      if (round >= 0) times.get(side)?.push(time);
    }
  await Promise.all([none, one, many].map(({ store }) => store.close()));
  return Object.keys(loads).flatMap((load) => {
    const timesOf = (side: string) => times.get(`${side}, ${load}`) ?? [];
    // Of each round, because other work of the machine changes from round to round.
    const ratioOf = (side: string, part: keyof Time) =>
      side === noWait
        ? null
        : median(timesOf(side).map((time, at) => time[part] / (timesOf(noWait)[at]?.[part] ?? Number.NaN)));
    const row = (side: string, goal = ""): WaitCost => ({
      store: name,
      what: `accept, ${side}, ${load}`,
      perSecond: 1e6 / median(timesOf(side).map(({ wallUs }) => wallUs)),
      cpuUs: median(timesOf(side).map(({ cpuUs }) => cpuUs)),
      ratio: ratioOf(side, "wallUs"),
      cpuRatio: ratioOf(side, "cpuUs"),
      goal,
    });
    return [row(noWait), row(oneWait), row(manyWaits, "≤ 1.3"), row(`${manyWaits}, each wakes a run`)];
  });
}

/** A run that was suspended until an event, and was searched for it. */
async function startWaiting(store: Store): Promise<string> {
  const now = Date.now();
  await store.createRuns([aRun({ createdAt: now })]);
  const [run] = await store.claimRuns(aClaim({ now, limit: 1 }));
  if (!run) throw new Error("no run is due");
  const { id: runId, token } = run;
  const [step, since, until] = ["shipped", now, now + day];
  const wait: EventWait = { step, branch: "", source, match: matchOf("first"), since, until };
  await store.writeProgress({
    runId,
    token,
    now,
    entries: [],
    steps: [
      {
        name: step,
        kind: "event",
        attempt: 1,
        startedAt: now,
        finishedAt: null,
        until,
        result: null,
        sequence: null,
      },
    ],
    waits: [wait],
    transition: { to: "waiting", reason: "sleep", availableAt: until },
  });
  await store.finishSearch({ runId, step, isFinal: true, now });
  return runId;
}

/** Microseconds of one delivery. */
interface Time {
  wallUs: number;
  cpuUs: number;
}

/** Each with a call of its own, as webhooks come. */
async function deliverAll(
  store: Store,
  nextOrder: () => string,
  { atOnce, count, cpuMs }: { atOnce: number; count: number; cpuMs: () => number },
): Promise<Time> {
  const [began, worked] = [performance.now(), cpuMs()];
  for (let n = 0; n < count; n += atOnce)
    await Promise.all(Array.from({ length: atOnce }, () => deliver(store, nextOrder())));
  const usEach = (ms: number) => (ms * 1000) / count;
  return { wallUs: usEach(performance.now() - began), cpuUs: usEach(cpuMs() - worked) };
}

function deliver(store: Store, id: string) {
  const payload = { order: { id }, text: "x".repeat(250) };
  const body = Buffer.from(JSON.stringify(payload));
  return store.acceptDelivery({
    delivery: aDelivery({ receivedAt: Date.now(), body, outcome: "skipped", responseStatus: 200 }),
    runs: [],
    idempotency: null,
    delivered: {
      events: [{ source, payload }],
      ifWoken: { outcome: "accepted", responseStatus: 202, problem: null },
    },
  });
}
