import type { Logger } from "../../../ports/logger.ts";
import { isOpenSql } from "../schema.ts";
import type { Session } from "../connection/session.ts";
import { type JobState, openRunJobs } from "./run-jobs.ts";
import { toQueueName } from "./queue-names.ts";
import { looksUp } from "../statements/look-up.ts";

const runsAtOnce = 1_000;

const openRunsSql = `
  SELECT id, status, version, is_isolated AS "isIsolated", available_at AS "availableAt" FROM signalbox.run
  WHERE ${isOpenSql} AND id > $1 ORDER BY id LIMIT ${runsAtOnce}`;

interface OpenRun {
  id: string;
  status: "queued" | "running" | "waiting";
  version: string;
  isIsolated: boolean;
  availableAt: number;
}

/**
 * Gives each open run its job, in a store whose runs have none: an older version wrote it, or it is a copy of a file. A
 * running run is recovered when the heartbeat of its job is overdue.
 */
export async function addMissingJobs(session: Session, logger: Logger): Promise<void> {
  const jobs = await openRunJobs(session, { logger });
  try {
    for (let after = ""; ;) {
      const runs = await session.rows<OpenRun>(openRunsSql, [after]);
      const added = runs.map((run) => ({ runId: run.id, queue: queueOf(run), state: stateOf(run) }));
      await jobs.add(session, added);
      await session.change(
        `UPDATE signalbox.run SET job_queue = a.queue FROM unnest($1::text[], $2::text[]) AS a (id, queue) WHERE ${looksUp("run.id", "a.id")}`,
        [added.map(({ runId }) => runId), added.map(({ queue }) => queue)],
      );
      after = runs.at(-1)?.id ?? "";
      if (runs.length < runsAtOnce) return;
    }
  } finally {
    await jobs.close();
  }
}

/** Whether its target is limited is not known here: the first claim moves the run. */
const queueOf = ({ version, isIsolated }: OpenRun): string =>
  toQueueName({ version, pool: isIsolated ? "isolated" : "shared", limitedTarget: null });

function stateOf({ status, availableAt }: OpenRun): JobState {
  return status === "waiting" ? { kind: status, until: availableAt } : { kind: status };
}
