import { join } from "node:path";
import Database from "better-sqlite3";
import { type BenchProject, type BenchWorkflow, queueRuns } from "./bench-project.ts";
import type { BenchService, Process } from "./bench-service.ts";
import { untilNoneIsOpen } from "./measure-drain.ts";

export interface MemoryOfWaiting {
  what: string;
  rssMb: Record<Process, number>;
}

/**
 * Resident memory of the processes: after a thousand runs and as many as will wait, all of which have ended; with so
 * many asleep for days; and with so many more that wait for their next attempt. The first is the measure, since a
 * process that has worked keeps some memory.
 */
export async function measureMemory(p: {
  project: BenchProject;
  service: BenchService;
  count: number;
}): Promise<MemoryOfWaiting[]> {
  const rows: MemoryOfWaiting[] = [];
  const db = new Database(join(p.project.dir, ".signalbox/signalbox.db"), { readonly: true });
  const store = await p.project.openStore();
  const stages: [string, BenchWorkflow][] = [
    [`none wait, ${p.count} have ended`, "trivial"],
    [`${p.count} asleep for 7 days`, "sleeper"],
    [`${p.count} more between attempts`, "retrier"],
  ];
  for (const [what, slug] of stages) {
    await queueRuns(store, { slug, count: p.count });
    await untilNoneIsOpen(db);
    // Time for the memory to be given back.
    await new Promise((resolve) => setTimeout(resolve, 1_000));
    rows.push({ what, rssMb: p.service.rssMb() });
  }
  await store.close();
  db.close();
  return rows;
}
