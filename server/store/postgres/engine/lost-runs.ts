import { leaseMs } from "../../../domain/runs/lease.ts";
import type { EngineStore } from "../../../ports/store/engine-store.ts";
import { decideEnding, endHolds, type Ending, type Held } from "./end-holds.ts";
import { isStillRunning } from "./held-runs.ts";
import { clearLives } from "./live.ts";
import { schemaName } from "../queue/queue-names.ts";
import type { RunJobs } from "../queue/run-jobs.ts";
import type { Session } from "../connection/session.ts";
import type { EntryOfRun } from "../runs/timeline.ts";
import { looksUp } from "../statements/look-up.ts";

type Release = Parameters<EngineStore["releaseLostRuns"]>[0];

const lockHeldBySql = `
  SELECT id, token, attempt, cancel_requested_at AS "cancelRequestedAt", job_queue AS queue FROM signalbox.run
  WHERE id = ANY($1::text[]) AND worker_id = $2 AND ${isStillRunning} AND token IS NOT NULL ORDER BY id FOR NO KEY UPDATE`;

const countCrashesSql = `
  UPDATE signalbox.run SET crashes = crashes + 1, is_isolated = is_isolated OR f.isolate
  FROM unnest($1::text[], $2::boolean[]) AS f (id, isolate) WHERE ${looksUp("run.id", "f.id")}`;

/** After a worker process ended: its runs go back as its supervisor says. */
export async function releaseLostRuns(
  session: Session,
  jobs: RunJobs,
  { workerId, now, message, runs }: Release,
): Promise<void> {
  const locked = new Map(
    (await session.rows<Held>(lockHeldBySql, [runs.map(({ id }) => id), workerId])).map((held) => [held.id, held]),
  );
  const lost = runs.flatMap(({ id, fate }) => {
    const held = locked.get(id);
    return held ? [{ held, fate }] : [];
  });
  await returnToQueue(
    session,
    jobs,
    lost.map(({ held, fate }) => ({
      ending: {
        held,
        transition: fate.kind === "fail" ? fate.transition : { to: "queued" },
        now,
        isIsolated: fate.kind === "isolate",
      },
      entries: [
        { at: now, kind: "worker_lost" as const, attempt: held.attempt, message },
        ...(fate.kind === "fail" ? fate.entries : []),
      ].map((entry) => ({ runId: held.id, entry })),
    })),
  );
  const crashed = lost.filter(({ fate }) => fate.kind !== "resume");
  if (crashed.length > 0)
    await session.change(countCrashesSql, [
      crashed.map(({ held }) => held.id),
      crashed.map(({ fate }) => fate.kind === "isolate"),
    ]);
}

/**
 * Jobs whose heartbeat stopped, or is in the future, and their runs. Both times are of the database. pg-boss finds them
 * only together with statistics and removals, and not at all for as long as the clock of the database was set back.
 * `$2`: runs whose heartbeat was in the future.
 */
const silentSql = `
  SELECT run.id, j.heartbeat, j."isAhead", j."isOverdue" FROM ${schemaName}.queue q CROSS JOIN LATERAL (
    SELECT data, heartbeat_on::text AS heartbeat, heartbeat_on > ${schemaName}.job_now() AS "isAhead",
      heartbeat_on + heartbeat_seconds * interval '1 s' <= ${schemaName}.job_now() AS "isOverdue"
    FROM ${schemaName}.job WHERE name = q.name AND state = 'active'
  ) j JOIN signalbox.run ON run.id = j.data->>'run' AND run.status = 'running'
  WHERE NOT (run.id = ANY($1::text[])) AND (j."isAhead" OR j."isOverdue" OR run.id = ANY($2::text[]))`;

interface SilentRow {
  id: string;
  heartbeat: string;
  /** The clock of the database was set back since. */
  isAhead: boolean;
  isOverdue: boolean;
}

/** Finds running runs whose heartbeat stopped, except `spare`. */
export type FindSilent = (session: Session, spare: ReadonlySet<string>) => Promise<string[]>;

/**
 * The age of a heartbeat in the future is unknown. Its run is silent if the heartbeat stays the same for as long as a
 * lease: a living worker renews it sooner. That time also passes when the clock has reached the heartbeat meanwhile.
 */
export function createFindSilent(): FindSilent {
  let ahead = new Map<string, { heartbeat: string; since: number }>();
  return async (session, spare) => {
    const known = ahead;
    const rows = await session.rows<SilentRow>(silentSql, [[...spare], [...known.keys()]]);
    const now = performance.now();
    ahead = new Map();
    return rows.flatMap(({ id, heartbeat, isAhead, isOverdue }) => {
      if (isOverdue) return [id];
      const before = known.get(id);
      const isUnchanged = before?.heartbeat === heartbeat;
      if (!isAhead && !isUnchanged) return [];
      const since = isUnchanged ? before.since : now;
      ahead.set(id, { heartbeat, since });
      return now - since >= leaseMs ? [id] : [];
    });
  };
}

const lockSilentSql = `
  SELECT id, token, attempt, cancel_requested_at AS "cancelRequestedAt", job_queue AS queue FROM signalbox.run
  WHERE id = ANY($1::text[]) AND ${isStillRunning} ORDER BY id FOR NO KEY UPDATE SKIP LOCKED`;

/**
 * Returns these runs to the queue; see `reconcile` of the port. Runs that another transaction has locked are skipped:
 * the next call looks at them again. A heartbeat needs the lock of the run: with it, the jobs are read again, as they
 * are now.
 */
export async function adoptRuns(
  session: Session,
  jobs: RunJobs,
  p: { ids: readonly string[]; now: number; spare: ReadonlySet<string>; findSilent: FindSilent },
): Promise<number> {
  const { ids, now, spare } = p;
  const locked = await session.rows<Held>(lockSilentSql, [[...ids]]);
  const silent = new Set(await p.findSilent(session, spare));
  const lost = locked.filter(({ id }) => silent.has(id));
  const message = "The lease of its worker expired: the worker stopped responding.";
  await returnToQueue(
    session,
    jobs,
    lost.map((held) => ({
      ending: { held, transition: { to: "queued" }, now },
      entries: [{ runId: held.id, entry: { at: now, kind: "worker_lost", attempt: held.attempt, message } }],
    })),
  );
  return lost.length;
}

async function returnToQueue(
  session: Session,
  jobs: RunJobs,
  lost: readonly { ending: Ending; entries: EntryOfRun[] }[],
): Promise<void> {
  const decided = lost.map(({ ending, entries }) => ({ before: entries, ...decideEnding(ending) }));
  await clearLives(
    session,
    lost.map(({ ending }) => ending.held.id),
  );
  await endHolds(session, jobs, {
    endings: decided.map(({ ending }) => ending),
    entries: decided.flatMap(({ before, entries }) => [...before, ...entries]),
  });
}
