import { setTimeout as delay } from "node:timers/promises";
import { z } from "zod";
import { type PostgresCluster, startCluster } from "../../scripts/postgres-cluster.ts";
import { smallBody } from "../load/bodies.ts";
import { percentile } from "../report/statistics.ts";
import type { Bench } from "../measure/bench.ts";
import { queueRuns } from "../runs/bench-project.ts";
import { endpoints } from "../service/bench-project.ts";
import type { StoreReader } from "../service/store-reader.ts";
import { describeEffort, type Effort, watchEffort } from "./effort.ts";
import { type Side, type StoreName, startSide, startWebSide, stores, type WebSide } from "./side.ts";

/**
 * One store with this number of workers. Rates are per second, waits in milliseconds. A list has a value for each
 * round.
 */
export interface StoreResult {
  store: StoreName;
  workers: number;
  accepts: number[];
  p50: number[];
  p99: number[];
  runs: number[];
  /** The same of runs that wait, on Postgres: they use next to no CPU. NaN on SQLite. */
  waitingRuns: number[];
  /** Rows written per second while the service is idle. NaN: they are not counted. */
  idleWrites: number[];
}

/** Some services with `--role web` on one Postgres. */
export interface WebResult {
  count: number;
  accepts: number[];
}

const workerCounts = [1, 2, 4] as const;
const connections = 50;
const startsPerSecond = 50;
const withinMs = 300_000;
const idleMs = 10_000;
const webCounts = [1, 2] as const;
/** Of each side in a round. */
const acceptTurns = 3;
/** Each service first answers this many: until then, Node still compiles its code, in two services twice as long. */
const warmWebhooks = 20_000;
const outputSchema = z.object({ beganAt: z.number() });

interface Turn {
  p50: number;
  p99: number;
  runs: number;
  waitingRuns: number;
  idleWrites: number;
  runEffort: Effort;
}

interface AcceptTurn {
  accepts: number;
  acceptEffort: Effort;
}

/**
 * Both stores with one, two and four workers, all on this machine: in each round, accepts by turns, and the rest one
 * after the other. The benchmark starts its own Postgres, with the default durability.
 */
export async function measureStores(bench: Bench): Promise<{ stores: StoreResult[]; webs: WebResult[] }> {
  const cluster = await startCluster({ settings: ["max_connections=300"] });
  const results: StoreResult[] = [];
  const webs = webCounts.map((count) => ({ count, accepts: [] as number[] }));
  try {
    const sides = stores.flatMap((store) =>
      workerCounts.map((workers) => ({ store, workers, name: `bench_${workers}` })),
    );
    const turns = new Map(sides.map((side) => [side, [] as (Turn & AcceptTurn)[]]));
    bench.note(
      `${await cluster.version()}, with the settings that it comes with (fsync, synchronous_commit), on the same machine.`,
    );
    const rounds = Math.ceil(bench.rounds / 2);
    for (let round = 0; round <= rounds; round++) {
      const accepts = await measureAccepts(bench, { cluster, name: `accepts_${round}` });
      for (const of of sides) {
        // A new service for each turn. Otherwise a store with content and five more services would be measured as well.
        const side = await startSide(bench, { ...of, name: `${of.name}_${round}`, cluster });
        try {
          const accepted = accepts.find(({ store, workers }) => store === of.store && workers === of.workers);
          if (!accepted) throw new Error("Accepts were not measured");
          const turn = { ...accepted, ...(await measureTurn(bench, side)) };
          console.error(
            `round ${round} of ${rounds}, ${of.store}, ${of.workers} workers: ${Math.round(turn.accepts)} accepts/s, ${Math.round(turn.runs)} runs/s, ${turn.p50.toFixed(1)} and ${turn.p99.toFixed(1)} ms to start`,
          );
          // The first round warms up.
          if (round > 0) turns.get(of)?.push(turn);
        } finally {
          await side.close();
        }
      }
      for (const { count, rate } of await measureWebs(bench, { cluster, name: `webs_${round}` })) {
        console.error(`round ${round} of ${rounds}, ${count} web: ${Math.round(rate)} accepts/s`);
        if (round > 0) webs.find((one) => one.count === count)?.accepts.push(rate);
      }
    }
    for (const [{ store, workers }, of] of turns) {
      const last = of.at(-1);
      if (!last) throw new Error("No round was measured");
      results.push({
        store,
        workers,
        accepts: of.map(({ accepts }) => accepts),
        p50: of.map(({ p50 }) => p50),
        p99: of.map(({ p99 }) => p99),
        runs: of.map(({ runs }) => runs),
        waitingRuns: of.map(({ waitingRuns }) => waitingRuns),
        idleWrites: of.map(({ idleWrites }) => idleWrites),
      });
      const name = `${store}, workers: ${workers}`;
      bench.note(`What limits accepts with ${name}: ${describeEffort(last.acceptEffort)}.`);
      bench.note(`What limits runs with ${name}: ${describeEffort(last.runEffort)}.`);
    }
    return { stores: results, webs };
  } finally {
    await cluster.remove();
  }
}

async function measureTurn(bench: Bench, side: Side): Promise<Turn> {
  const idleWrites = side.workers === 4 ? await measureIdle(side) : Number.NaN;
  const { p50, p99 } = await measureStarts(bench, side);
  const { runs, effort: runEffort } = await measureRuns(bench, side, { slug: "trivial", count: bench.backlog });
  const waiting = { slug: "waiting", count: bench.backlog / 4 };
  const waitingRuns = side.store === "Postgres" ? (await measureRuns(bench, side, waiting)).runs : Number.NaN;
  return { p50, p99, runs, waitingRuns, idleWrites, runEffort };
}

async function measureIdle({ reader }: Side): Promise<number> {
  const before = await reader.writes();
  await delay(idleMs);
  const after = await reader.writes();
  return before === null || after === null ? Number.NaN : ((after - before) / idleMs) * 1000;
}

/** Workers are idle: all but the first run of that endpoint stay queued. */
async function measureAccepts(
  bench: Bench,
  { cluster, name }: { cluster: PostgresCluster; name: string },
): Promise<(AcceptTurn & Pick<Side, "store" | "workers">)[]> {
  const results: (AcceptTurn & Pick<Side, "store" | "workers">)[] = [];
  for (const store of stores) {
    const sides: Side[] = [];
    try {
      for (const workers of workerCounts)
        sides.push(await startSide(bench, { store, workers, cluster, name: `${name}_${workers}` }));
      const efforts = new Map<Side, Effort>();
      const rates = await acceptInTurns(
        bench,
        sides.map((side) => ({
          urls: [side.service.urlOf(endpoints.queued)],
          reader: side.reader,
          async watch(post) {
            const spent = await watchEffort(side);
            await post();
            efforts.set(side, await spent());
          },
        })),
      );
      sides.forEach((side, n) => {
        const acceptEffort = efforts.get(side);
        const accepts = rates[n];
        if (!acceptEffort || accepts === undefined) throw new Error("No turn was measured");
        results.push({ store, workers: side.workers, accepts, acceptEffort });
      });
    } finally {
      for (const side of sides) await side.close();
    }
  }
  return results;
}

async function measureWebs(
  bench: Bench,
  { cluster, name }: { cluster: PostgresCluster; name: string },
): Promise<{ count: number; rate: number }[]> {
  const sides: WebSide[] = [];
  try {
    for (const count of webCounts) sides.push(await startWebSide(bench, { count, cluster, name: `${name}_${count}` }));
    const rates = await acceptInTurns(bench, sides);
    return webCounts.map((count, n) => ({ count, rate: rates[n] ?? Number.NaN }));
  } finally {
    for (const side of sides) await side.close();
  }
}

interface Accepting {
  /** Of services on one store. They share the connections. */
  urls: readonly string[];
  reader: StoreReader;
  /** Called with each turn that counts. */
  watch?(post: () => Promise<void>): Promise<void>;
}

/**
 * Accepts a second of each side. All are up at the same time and take turns, so that other load on the machine affects
 * all of them.
 */
async function acceptInTurns(bench: Bench, sides: readonly Accepting[]): Promise<number[]> {
  const measured = sides.map((side) => ({ side, answered: side.urls.map(() => 0), rates: [] as number[] }));
  async function post({ side, answered }: (typeof measured)[number], ms: number): Promise<number> {
    const { bodies } = smallBody();
    const results = await Promise.all(
      side.urls.map((url) => bench.client.post({ url, bodies, connections: connections / side.urls.length, ms }, 202)),
    );
    results.forEach(({ statuses }, n) => (answered[n] = (answered[n] ?? 0) + (statuses[202] ?? 0)));
    return results.reduce((sum, result) => sum + (result.answered / result.ms) * 1000, 0);
  }
  for (const of of measured) while (Math.min(...of.answered) < warmWebhooks) await post(of, bench.turnMs / 4);
  for (let turn = 0; turn < acceptTurns; turn += 1)
    for (const of of measured) {
      const count = async () => void of.rates.push(await post(of, bench.turnMs));
      await (of.side.watch?.(count) ?? count());
    }
  for (const { side, answered } of measured) {
    const stored = await side.reader.accepted(endpoints.queued);
    const all = answered.reduce((sum, one) => sum + one, 0);
    if (stored !== all) throw new Error(`${all} deliveries were answered 202, and ${stored} are in the store`);
  }
  return measured.map(({ rates }) => rates.reduce((sum, rate) => sum + rate, 0) / rates.length);
}

/** From the arrival of a webhook to the first line of its run, by the clock of the runs, with little load. */
async function measureStarts(bench: Bench, { service, reader }: Side): Promise<{ p50: number; p99: number }> {
  const post = (ms: number) =>
    bench.client.post(
      {
        url: service.urlOf(endpoints.timed),
        bodies: smallBody().bodies,
        connections: 4,
        ms,
        perSecond: startsPerSecond,
      },
      202,
    );
  await post(bench.turnMs / 4);
  const since = Date.now();
  await post(bench.turnMs);
  await untilNone(() => reader.hasOpen(endpoints.timed));
  const runs = await reader.completed(endpoints.timed, since);
  const waits = Float64Array.from(
    runs,
    ({ output, receivedAt }) => outputSchema.parse(JSON.parse(output ?? "")).beganAt - (receivedAt ?? Number.NaN),
  ).sort();
  return { p50: percentile(waits, 0.5), p99: percentile(waits, 0.99) };
}

/** A backlog of runs, put into the store by another process. From the first claim to the last end. */
async function measureRuns(
  bench: Bench,
  { reader, openStore, ...side }: Side,
  { slug, count }: { slug: string; count: number },
): Promise<{ runs: number; effort: Effort }> {
  const since = Date.now();
  const store = await openStore();
  const [worker] = await store.listWorkers({ seenSince: 0 });
  if (!worker) throw new Error("No worker has started");
  await queueRuns(store, { slug, count, inOneTransaction: true, version: worker.version });
  // Recording the backlog is not measured.
  const spent = await watchEffort({ reader, openStore, ...side });
  await untilNone(() => reader.hasOpen(slug));
  const effort = await spent();
  await store.close();
  const runs = await reader.completed(slug, since);
  if (runs.length !== count) throw new Error(`${side.store}: ${runs.length} of ${count} runs have completed`);
  const began = Math.min(...runs.map(({ startedAt }) => startedAt));
  const ended = Math.max(...runs.map(({ finishedAt }) => finishedAt));
  return { runs: count / ((ended - began) / 1000), effort };
}

async function untilNone(hasOpen: () => Promise<boolean>): Promise<void> {
  for (const deadline = performance.now() + withinMs; await hasOpen(); await delay(50)) {
    if (performance.now() > deadline) throw new Error(`Not all runs have ended within ${withinMs / 1000} s`);
  }
}
