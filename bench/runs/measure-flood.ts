import { join } from "node:path";
import Database from "better-sqlite3";
import { z } from "zod";
import { runStatusCodes } from "../../server/domain/stored-codes.ts";
import type { BenchProject } from "./bench-project.ts";
import type { BenchService, Process } from "./bench-service.ts";
import { untilNoneIsOpen } from "./measure-drain.ts";
import { floodWithWebhooks } from "./webhook-flood.ts";

export interface Flood {
  acceptsPerSecond: number;
  /** From the first accept to the last end. */
  acceptedAndRunPerSecond: number;
  /** How long the backlog took after the last accept. */
  backlogMs: number;
  rejected: number;
  /** CPU microseconds of a webhook with its run, in each kind of process. */
  cpuUs: Record<Process, number>;
}

const countSchema = z.object({ runs: z.number(), firstAt: z.number(), lastAt: z.number(), endedAt: z.number() });

/** Webhooks as fast as they are answered, while workers execute their runs. */
export async function measureFlood(p: {
  project: BenchProject;
  service: BenchService;
  forMs: number;
  connections?: number;
  inFlight?: number;
}): Promise<Flood> {
  const db = new Database(join(p.project.dir, ".signalbox/signalbox.db"), { readonly: true });
  const last = z.number().parse(db.prepare("SELECT coalesce(max(seq), 0) FROM run").pluck().get());
  const before = p.service.cpuSeconds();
  const { accepted, rejected, seconds } = await floodWithWebhooks({ connections: 8, inFlight: 32, ...p });
  await untilNoneIsOpen(db);
  const after = p.service.cpuSeconds();
  const { runs, firstAt, lastAt, endedAt } = countSchema.parse(
    db
      .prepare(
        `SELECT count(*) AS runs, min(created_at) AS firstAt, max(created_at) AS lastAt, max(finished_at) AS endedAt FROM run WHERE status = ${runStatusCodes.completed} AND seq > ?`,
      )
      .get(last),
  );
  db.close();
  if (runs !== accepted) throw new Error(`${accepted} webhooks were accepted, and ${runs} runs have completed`);
  const cpuOf = (kind: keyof Flood["cpuUs"]) => ((after[kind] - before[kind]) * 1e6) / runs;
  return {
    acceptsPerSecond: accepted / seconds,
    acceptedAndRunPerSecond: runs / ((endedAt - firstAt) / 1000),
    backlogMs: endedAt - lastAt,
    rejected,
    cpuUs: { receiver: cpuOf("receiver"), web: cpuOf("web"), worker: cpuOf("worker"), supervisor: cpuOf("supervisor") },
  };
}
