import type { RunWrites } from "../../core/store-database.ts";
import { resultOf } from "../../shared/operation.ts";
import type { Session } from "../connection/session.ts";
import type { AcceptAnswer, AcceptJob } from "../deliveries/accept-deliveries.ts";
import { addEntries } from "./timeline.ts";

export interface RunParts {
  /** As AcceptOperation, in a transaction of the caller. */
  acceptIn: (session: Session, job: AcceptJob) => Promise<AcceptAnswer | undefined>;
}

/** The caller has locked the rows of the runs. */
export function createRunWrites(session: Session, { acceptIn }: RunParts): RunWrites {
  return {
    *insertRuns(runs) {
      const answer = yield* resultOf(acceptIn(session, { delivery: null, runs, idempotency: null }));
      return answer?.result.kind === "full" ? answer.result.queue : null;
    },
    addEntry: (key, entry) => resultOf(addEntries(session, [{ runId: String(key), entry }])),
    notifyHosts() {
      session.concernsHosts = true;
    },
  };
}
