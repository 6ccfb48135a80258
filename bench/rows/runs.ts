import { rmSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import Database from "better-sqlite3";
import { z } from "zod";
import { isOpenSql } from "../../server/store/sqlite/stored-forms.ts";
import { runStatusCodes } from "../../server/domain/stored-codes.ts";
import { openSqliteStore } from "../../server/store/sqlite/open-store.ts";
import { count, ratio } from "../report/format.ts";
import { median, ratioByRounds } from "../report/statistics.ts";
import { queueRuns } from "../runs/bench-project.ts";
import { startSignalbox } from "../service/signalbox-service.ts";
import { byTurns } from "./by-turns.ts";
import type { Bench } from "./bench.ts";
import type { Row } from "./row.ts";

const numbers = [1, 2, 4] as const;
const withinMs = 300_000;
const spanSchema = z.object({ startedAt: z.number(), finishedAt: z.number(), completed: z.number() });

/** Runs a second off a backlog, by the number of workers: each number is a service of its own, and they take turns. */
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
    ).map(([name, workers]): Row => ({
      work: `a backlog of ${count(bench.backlog)} runs that return at once; workers: ${workers}`,
      measure: "runs a second",
      ours: count(median(rates[name])),
      other: workers === 1 ? null : `one worker: ${count(median(rates.one))}`,
      ratio: workers === 1 ? null : ratio(ratioByRounds(rates[name], rates.one)),
      goal: null,
      isMet: null,
      durability: "fsync for each end",
    }));
  } finally {
    for (const { close } of services) await close();
  }
}

async function startBacklog(bench: Bench, workers: number) {
  const folder = bench.makeProject({ workers });
  const service = await startSignalbox({ folder, nodeOptions: bench.nodeOptions });
  const file = join(folder, ".signalbox/signalbox.db");
  return {
    service,
    /** Puts the backlog into the running service's store; its workers notice. */
    async turn(): Promise<number> {
      const since = Date.now();
      const store = await openSqliteStore({ file });
      await queueRuns(store, { slug: "trivial", count: bench.backlog, inOneTransaction: true }).finally(() =>
        store.close(),
      );
      return rateOf(file, since, bench.backlog);
    },
    async close() {
      await service.stop();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

/** From the first claim to the last end of the runs that were queued since. */
async function rateOf(file: string, since: number, runs: number): Promise<number> {
  const db = new Database(file, { readonly: true });
  try {
    const isOpen = db.prepare<[], number>(`SELECT EXISTS (SELECT 1 FROM run WHERE ${isOpenSql})`).pluck();
    for (const deadline = performance.now() + withinMs; isOpen.get() === 1; await delay(20)) {
      if (performance.now() > deadline)
        throw new Error(`A backlog of ${runs} runs was not done within ${withinMs / 1000} s`);
    }
    const span = spanSchema.parse(
      db
        .prepare(
          `SELECT min(started_at) AS startedAt, max(finished_at) AS finishedAt, count(*) AS completed FROM run WHERE created_at >= ? AND status = ${runStatusCodes.completed}`,
        )
        .get(since),
    );
    if (span.completed !== runs) throw new Error(`${span.completed} of ${runs} runs have completed`);
    return runs / ((span.finishedAt - span.startedAt) / 1000);
  } finally {
    db.close();
  }
}
