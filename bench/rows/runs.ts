import { rmSync } from "node:fs";
import { setTimeout as delay } from "node:timers/promises";
import { openSqliteStore } from "../../server/store/sqlite/open-store.ts";
import { count, ratio } from "../report/format.ts";
import { atLeast } from "../report/goal.ts";
import { median, ratioByRounds } from "../report/statistics.ts";
import { queueRuns } from "../runs/bench-project.ts";
import { untilAtRest } from "../service/process-tree.ts";
import { startSignalbox } from "../service/signalbox-service.ts";
import { openSqliteReader, storeFileOf } from "../service/store-reader.ts";
import { byTurns } from "../measure/by-turns.ts";
import type { Bench } from "../measure/bench.ts";
import type { Row } from "../measure/row.ts";

const numbers = [1, 2, 4] as const;
const withinMs = 300_000;
const goals = { oneWorker: 12_000, toOneWorker: 1 };

/** Runs per second from a backlog, by the number of workers. Each number has its own service, and they take turns. */
export async function measureRuns(bench: Bench): Promise<Row[]> {
  const services = [];
  try {
    for (const workers of numbers) services.push(await startBacklog(bench, workers));
    const [one, two, four] = services;
    if (!one || !two || !four) throw new Error("A service is missing");
    if (bench.profile) {
      await bench.profile(one.service, one.turn);
      return [];
    }
    const rates = await byTurns({ one: one.turn, two: two.turn, four: four.turn }, bench.rounds);
    return (
      [
        ["one", 1],
        ["two", 2],
        ["four", 4],
      ] as const
    ).map(([name, workers]): Row => {
      const perSecond = median(rates[name]);
      const toOne = ratioByRounds(rates[name], rates.one);
      const compared =
        workers === 1
          ? { other: null, ratio: null, ...atLeast(goals.oneWorker, perSecond) }
          : {
              other: `one worker: ${count(median(rates.one))}`,
              ratio: ratio(toOne),
              ...atLeast(goals.toOneWorker, toOne.median),
            };
      return {
        work: `a backlog of ${count(bench.backlog)} runs that return at once; workers: ${workers}`,
        measure: "runs a second",
        ours: count(perSecond),
        ...compared,
        durability: "fsync for each end",
      };
    });
  } finally {
    for (const { close } of services) await close();
  }
}

async function startBacklog(bench: Bench, workers: number) {
  const folder = bench.makeProject({ workers });
  const service = await startSignalbox({ folder, nodeOptions: bench.nodeOptions });
  const file = storeFileOf(folder);
  return {
    service,
    /** Puts the backlog into the running service's store; its workers notice. */
    async turn(): Promise<number> {
      const since = Date.now();
      const store = await openSqliteStore({ file });
      await queueRuns(store, { slug: "trivial", count: bench.backlog, inOneTransaction: true }).finally(() =>
        store.close(),
      );
      const rate = await rateOf(file, since, bench.backlog);
      await untilAtRest(service.child.pid);
      return rate;
    },
    async close() {
      await service.stop();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

/** From the first start to the last end of the runs that were queued since a moment. */
async function rateOf(file: string, since: number, runs: number): Promise<number> {
  const store = openSqliteReader(file);
  try {
    for (const deadline = performance.now() + withinMs; store.hasAnyOpen(); await delay(20)) {
      if (performance.now() > deadline)
        throw new Error(`A backlog of ${runs} runs was not done within ${withinMs / 1000} s`);
    }
    const completed = await store.completed("trivial", since);
    if (completed.length !== runs) throw new Error(`${completed.length} of ${runs} runs have completed`);
    const startedAt = Math.min(...completed.map((run) => run.startedAt));
    const finishedAt = Math.max(...completed.map((run) => run.finishedAt));
    return runs / ((finishedAt - startedAt) / 1000);
  } finally {
    await store.close();
  }
}
