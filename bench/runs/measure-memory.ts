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
 * Resident memory of the processes in three states. First, after a thousand runs and as many as will wait later have
 * ended. Then with this number of sleeping runs, and then with the same number that wait for their next attempt. The
 * first is the baseline, because a process that has worked keeps some memory.
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
    // Time for the memory to be released.
    await new Promise((resolve) => setTimeout(resolve, 1_000));
    rows.push({ what, rssMb: p.service.rssMb() });
  }
  await store.close();
  db.close();
  return rows;
}
