import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { NewRun } from "../../server/ports/store/new-run.ts";
import type { Store } from "../../server/ports/store.ts";
import { openPostgresStore } from "../../server/store/postgres/open-store.ts";
import { openSqliteStore } from "../../server/store/sqlite/open-store.ts";
import { aClaim, aConcurrency, aRun } from "../../server/store/testing/factories.ts";
import { startPostgres } from "../../server/store/testing/postgres-server.ts";
import { median } from "./statistics.ts";

export interface KeyCost {
  store: string;
  what: string;
  /** Runs per second. */
  perSecond: number;
  /** To that of the side with which it is compared. */
  ratio: number | null;
  goal: string;
}

const concurrency = aConcurrency({ perKey: 1 });
const limits = new Map([["workflow:welcome-email", concurrency]]);
const runsPerRound = 1_000;
const atOnce = 100;

const keyed = (key: string, more: Partial<NewRun> = {}) => aRun({ key, concurrency, createdAt: Date.now(), ...more });

/** What keys cost, on both stores: the sides of a store take turns, so that a slow moment affects them equally. */
export async function measureKeys({ most, rounds }: { most: number; rounds: number }): Promise<KeyCost[]> {
  const folder = mkdtempSync(join(tmpdir(), "signalbox-bench-keys-"));
  const server = await startPostgres();
  let files = 0;
  const opens = {
    SQLite: () => openSqliteStore({ file: join(folder, `${(files += 1)}.db`) }),
    Postgres: async () => openPostgresStore({ url: await server.createDatabase() }),
  };
  try {
    const costs: KeyCost[] = [];
    for (const [store, open] of Object.entries(opens))
      costs.push(...(await measureStore(store, open, { most, rounds })));
    return costs;
  } finally {
    await server.stop();
    rmSync(folder, { recursive: true, force: true });
  }
}

async function measureStore(
  name: string,
  open: () => Promise<Store>,
  { most, rounds }: { most: number; rounds: number },
): Promise<KeyCost[]> {
  const [manyKeys, oneKey, noKey, aside, beside] = [
    await open(),
    await open(),
    await open(),
    await open(),
    await open(),
  ];
  for (const store of [manyKeys, oneKey, aside, beside]) await store.applyLimits({ limits, now: Date.now() });
  await queueAll(manyKeys, (n) => keyed(`k${n}`), most);
  await queueAll(oneKey, () => keyed("one"), most);
  await queueAll(noKey, () => aRun({ createdAt: Date.now() }), most);
  for (const store of [aside, beside]) await queueAll(store, (n) => keyed(`k${n}`), 200);
  await queueAll(beside, () => keyed("one"), 10_000);
  let next = most;
  const sides: Record<string, () => Promise<number>> = {
    "accept, many keys": () => queueAll(manyKeys, () => keyed(`k${(next += 1)}`), runsPerRound),
    "accept, one key": () => queueAll(oneKey, () => keyed("one"), runsPerRound),
    "accept, without limits": () => queueAll(noKey, () => aRun({ createdAt: Date.now() }), runsPerRound),
    "claim and end, many keys": () => claimAndEnd(manyKeys, runsPerRound, 20),
    "claim and end, one key": () => claimAndEnd(oneKey, runsPerRound / 10, 1),
    "claim of other keys": () => claimAndReturn(aside),
    "claim of other keys, 10,000 queued of one": () => claimAndReturn(beside),
  };
  const rates = new Map(Object.keys(sides).map((side) => [side, [] as number[]]));
  for (let round = -1; round < rounds; round += 1)
    for (const [side, measure] of Object.entries(sides)) {
      const rate = await measure();
      if (round >= 0) rates.get(side)?.push(rate);
    }
  await Promise.all([manyKeys, oneKey, noKey, aside, beside].map((store) => store.close()));
  const rateOf = (side: string) => median(rates.get(side) ?? []);
  const row = (what: string, other: string | null, goal = ""): KeyCost => ({
    store: name,
    what,
    perSecond: rateOf(what),
    ratio: other === null ? null : rateOf(what) / rateOf(other),
    goal,
  });
  return [
    row("accept, one key", null),
    row("accept, many keys", "accept, one key", "≥ 0.9"),
    row("accept, without limits", "accept, one key"),
    row("claim and end, one key", null),
    row("claim and end, many keys", "claim and end, one key", "≥ 0.8"),
    row("claim of other keys", null),
    row("claim of other keys, 10,000 queued of one", "claim of other keys", "≥ 0.83"),
  ];
}

/** Each with a call of its own, as webhooks come. Returns runs per second. */
async function queueAll(store: Store, make: (n: number) => NewRun, count: number): Promise<number> {
  const began = performance.now();
  for (let n = 0; n < count; n += atOnce)
    await Promise.all(Array.from({ length: Math.min(atOnce, count - n) }, (_, at) => store.createRuns([make(n + at)])));
  return count / ((performance.now() - began) / 1000);
}

async function claimAndEnd(store: Store, count: number, slots: number): Promise<number> {
  const began = performance.now();
  for (let left = count; left > 0;) {
    const now = Date.now();
    const claimed = await store.claimRuns(aClaim({ limits, now, limit: slots }));
    if (claimed.length === 0) throw new Error("no run is due");
    left -= claimed.length;
    await Promise.all(
      claimed.map(({ id: runId, token }) =>
        store.writeProgress({ runId, token, now, entries: [], transition: { to: "completed", output: null } }),
      ),
    );
  }
  return count / ((performance.now() - began) / 1000);
}

/** Only the claims are measured. */
async function claimAndReturn(store: Store): Promise<number> {
  let ms = 0;
  let runs = 0;
  for (let n = 0; n < 20; n += 1) {
    const now = Date.now();
    const began = performance.now();
    const claimed = await store.claimRuns(aClaim({ limits, now, limit: 20 }));
    ms += performance.now() - began;
    runs += claimed.length;
    await Promise.all(
      claimed.map(({ id: runId, token }) =>
        store.writeProgress({ runId, token, now, entries: [], transition: { to: "queued" } }),
      ),
    );
  }
  return runs / (ms / 1000);
}
