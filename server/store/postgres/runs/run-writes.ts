import { eq } from "drizzle-orm";
import type { RunWrites } from "../../core/store-database.ts";
import { resultOf } from "../../shared/operation.ts";
import type { Session } from "../connection/session.ts";
import type { RunJobs } from "../queue/run-jobs.ts";
import { run } from "../schema.ts";
import { addEntries } from "./timeline.ts";

/** The caller has locked the rows of the runs. */
export function createRunWrites(session: Session, jobs: RunJobs): RunWrites {
  const { db } = session;

  async function endJob(runId: string): Promise<string | null> {
    const [found] = await db.select({ queue: run.jobQueue }).from(run).where(eq(run.id, runId));
    const queue = found?.queue ?? null;
    if (queue !== null) await jobs.end(session, [{ runId, queue }]);
    return queue;
  }

  return {
    addEntry: (key, entry) => resultOf(addEntries(session, [{ runId: String(key), entry }])),
    *leaveQueue(key) {
      yield* resultOf(endJob(String(key)));
      yield* resultOf(
        db
          .update(run)
          .set({ jobQueue: null })
          .where(eq(run.id, String(key))),
      );
    },
    *waitInQueue(key, until) {
      const runId = String(key);
      const queue = yield* resultOf(endJob(runId));
      if (queue !== null) yield* resultOf(jobs.add(session, [{ runId, queue, state: { kind: "waiting", until } }]));
    },
    notifyHosts() {
      session.concernsHosts = true;
    },
  };
}
