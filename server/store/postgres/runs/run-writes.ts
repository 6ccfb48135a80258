import { eq } from "drizzle-orm";
import type { RunWrites } from "../../core/store-database.ts";
import { resultOf } from "../../shared/operation.ts";
import type { Session } from "../connection/session.ts";
import type { RunJobs } from "../queue/run-jobs.ts";
import type { AcceptAnswer, AcceptJob } from "../deliveries/accept-deliveries.ts";
import { run } from "../schema.ts";
import { addEntries } from "./timeline.ts";

export interface RunParts {
  jobs: RunJobs;
  /** As AcceptOperation, in a transaction of the caller. */
  acceptIn: (session: Session, job: AcceptJob) => Promise<AcceptAnswer | undefined>;
}

/** The caller has locked the rows of the runs. */
export function createRunWrites(session: Session, { acceptIn, jobs }: RunParts): RunWrites {
  const { db } = session;

  async function endJob(runId: string): Promise<string | null> {
    const [found] = await db.select({ queue: run.jobQueue }).from(run).where(eq(run.id, runId));
    const queue = found?.queue ?? null;
    if (queue !== null) await jobs.end(session, [{ runId, queue }]);
    return queue;
  }

  return {
    *insertRuns(runs) {
      const answer = yield* resultOf(acceptIn(session, { delivery: null, runs, idempotency: null }));
      return answer?.result.kind === "full" ? answer.result.queue : null;
    },
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
