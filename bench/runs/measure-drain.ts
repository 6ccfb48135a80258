import { join } from "node:path";
import Database from "better-sqlite3";
import { z } from "zod";
import { isOpenSql } from "../../server/store/sqlite/stored-forms.ts";
import { runStatusCodes } from "../../server/domain/stored-codes.ts";
import { type BenchProject, type BenchWorkflow, queueRuns } from "./bench-project.ts";
import type { BenchService, Process } from "./bench-service.ts";

export interface Drain {
  /** From the first claim to the last end. */
  runsPerSecond: number;
  /** CPU microseconds of a run: in the workers, and in the other processes. */
  workerCpuUs: number;
  othersCpuUs: number;
  /** The rate that the CPU would allow on an idle machine: runs per second of one core. */
  runsPerCpuSecond: number;
}

const endsSchema = z.object({ startedAt: z.number(), finishedAt: z.number(), runs: z.number() });

/** Adds a backlog to an idle service in one transaction, and waits until all its runs have ended. */
export async function measureDrain(p: {
  project: BenchProject;
  service: BenchService;
  slug: BenchWorkflow;
  count: number;
}): Promise<Drain> {
  const db = new Database(join(p.project.dir, ".signalbox/signalbox.db"), { readonly: true });
  const last = z.number().parse(db.prepare("SELECT coalesce(max(seq), 0) FROM run").pluck().get());
  const store = await p.project.openStore();
  const before = p.service.cpuSeconds();
  await queueRuns(store, { ...p, inOneTransaction: true });
  await untilNoneIsOpen(db);
  await store.close();
  const after = p.service.cpuSeconds();
  const { startedAt, finishedAt, runs } = endsSchema.parse(
    db
      .prepare(
        `SELECT min(started_at) AS startedAt, max(finished_at) AS finishedAt, count(*) AS runs FROM run WHERE status = ${runStatusCodes.completed} AND seq > ?`,
      )
      .get(last),
  );
  db.close();
  if (runs !== p.count) throw new Error(`${runs} of ${p.count} runs have completed`);
  const workerCpuUs = ((after.worker - before.worker) * 1e6) / runs;
  const othersCpuUs = ((others(after) - others(before)) * 1e6) / runs;
  return {
    runsPerSecond: runs / ((finishedAt - startedAt) / 1000),
    workerCpuUs,
    othersCpuUs,
    runsPerCpuSecond: 1e6 / (workerCpuUs + othersCpuUs),
  };
}

/** CPU seconds of all processes but the workers. */
const others = ({ supervisor, receiver, web }: Record<Process, number>): number => supervisor + receiver + web;

/** Queued or running. Waiting runs do not count. */
export async function untilNoneIsOpen(db: Database.Database): Promise<void> {
  const isOpen = db
    .prepare(`SELECT EXISTS (SELECT 1 FROM run WHERE ${isOpenSql} AND status <> ${runStatusCodes.waiting})`)
    .pluck();
  while (isOpen.get() === 1) await new Promise((resolve) => setTimeout(resolve, 20));
}
