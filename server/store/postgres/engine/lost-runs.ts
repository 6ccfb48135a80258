import type { ConcurrencyLimits } from "../../../domain/runs/run-limits.ts";
import { leaseMs } from "../../../domain/runs/lease.ts";
import type { EngineStore } from "../../../ports/store/engine-store.ts";
import { decideEnding, endHolds, type Ending, type Held, heldColumnsSql } from "./end-holds.ts";
import { isStillRunning, leaseClockSql, type LeaseTime } from "./held-runs.ts";
import { clearLives } from "./live.ts";
import type { Session } from "../connection/session.ts";
import type { EntryOfRun } from "../runs/timeline.ts";
import { looksUp } from "../statements/look-up.ts";

type Release = Parameters<EngineStore["releaseLostRuns"]>[0];

const lockHeldBySql = `
  SELECT ${heldColumnsSql} FROM signalbox.run
  WHERE id = ANY($1::text[]) AND worker_id = $2 AND ${isStillRunning} AND token IS NOT NULL ORDER BY id FOR NO KEY UPDATE`;

const countCrashesSql = `
  UPDATE signalbox.run SET crashes = crashes + 1, is_isolated = is_isolated OR f.isolate
  FROM unnest($1::text[], $2::boolean[]) AS f (id, isolate) WHERE ${looksUp("run.id", "f.id")}`;

/** After a worker process ended: its runs go back as its supervisor says. */
export async function releaseLostRuns(
  session: Session,
  { workerId, now, message, runs, limits }: Release & { limits: ConcurrencyLimits },
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
    lost.map(({ held, fate }) => ({
      ending: {
        held,
        transition: fate.kind === "fail" ? fate.transition : { to: "queued" },
        now,
      },
      entries: [
        { at: now, kind: "worker_lost" as const, attempt: held.attempt, message },
        ...(fate.kind === "fail" ? fate.entries : []),
      ].map((entry) => ({ runId: held.id, entry })),
    })),
    limits,
  );
  const crashed = lost.filter(({ fate }) => fate.kind !== "resume");
  if (crashed.length > 0)
    await session.change(countCrashesSql, [
      crashed.map(({ held }) => held.id),
      crashed.map(({ fate }) => fate.kind === "isolate"),
    ]);
}

/**
 * Running runs whose lease has expired, or ends later than any that is extended now. `$1`: the time of tests, `$2`: the
 * length of a lease, `$3`: except these. `$4`: runs whose lease ended too late before.
 */
const silentSql = `
  SELECT id, lease_until AS "leaseUntil", lease_until > clock.now + $2::bigint AS "isAhead", lease_until <= clock.now AS "isOverdue"
  FROM signalbox.run, (SELECT ${leaseClockSql("$1")} AS now) clock
  WHERE worker_id IS NOT NULL AND NOT (id = ANY($3::text[])) AND (lease_until <= clock.now OR lease_until > clock.now + $2::bigint OR id = ANY($4::text[]))`;

interface SilentRow {
  id: string;
  leaseUntil: number;
  /** The clock was set back since. */
  isAhead: boolean;
  isOverdue: boolean;
}

/** Finds running runs whose lease is no longer extended, except `spare`. */
export type FindSilent = (session: Session, p: { at: LeaseTime; spare: ReadonlySet<string> }) => Promise<string[]>;

/**
 * The age of a lease that ends too late is unknown. Its run is silent if the lease stays the same for as long as it
 * takes: a living worker extends it sooner. That time also passes when the clock has reached the lease meanwhile.
 */
export function createFindSilent(): FindSilent {
  let ahead = new Map<string, { leaseUntil: number; since: number }>();
  return async (session, p) => {
    const known = ahead;
    const rows = await session.rows<SilentRow>(silentSql, [p.at, leaseMs, [...p.spare], [...known.keys()]]);
    const now = performance.now();
    ahead = new Map();
    return rows.flatMap(({ id, leaseUntil, isAhead, isOverdue }) => {
      if (isOverdue) return [id];
      const before = known.get(id);
      const isUnchanged = before?.leaseUntil === leaseUntil;
      if (!isAhead && !isUnchanged) return [];
      const since = isUnchanged ? before.since : now;
      ahead.set(id, { leaseUntil, since });
      return now - since >= leaseMs ? [id] : [];
    });
  };
}

const lockSilentSql = `
  SELECT ${heldColumnsSql} FROM signalbox.run
  WHERE id = ANY($1::text[]) AND ${isStillRunning} ORDER BY id FOR NO KEY UPDATE SKIP LOCKED`;

/**
 * Returns these runs to the queue; see `reconcile` of the port. Runs that another transaction has locked are skipped:
 * the next call looks at them again. A lease is extended with the lock of the run: with it, the leases are read again,
 * as they are now.
 */
export async function adoptRuns(
  session: Session,
  p: {
    ids: readonly string[];
    now: number;
    at: LeaseTime;
    spare: ReadonlySet<string>;
    findSilent: FindSilent;
    limits: ConcurrencyLimits;
  },
): Promise<number> {
  const { ids, now, at, spare } = p;
  const locked = await session.rows<Held>(lockSilentSql, [[...ids]]);
  const silent = new Set(await p.findSilent(session, { at, spare }));
  const lost = locked.filter(({ id }) => silent.has(id));
  const message = "The lease of its worker expired: the worker stopped responding.";
  await returnToQueue(
    session,
    lost.map((held) => ({
      ending: { held, transition: { to: "queued" }, now },
      entries: [{ runId: held.id, entry: { at: now, kind: "worker_lost", attempt: held.attempt, message } }],
    })),
    p.limits,
  );
  return lost.length;
}

async function returnToQueue(
  session: Session,
  lost: readonly { ending: Ending; entries: EntryOfRun[] }[],
  limits: ConcurrencyLimits,
): Promise<void> {
  const decided = lost.map(({ ending, entries }) => ({ before: entries, ...decideEnding(ending) }));
  await clearLives(
    session,
    lost.map(({ ending }) => ending.held.id),
  );
  await endHolds(session, {
    endings: decided.map(({ ending }) => ending),
    entries: decided.flatMap(({ before, entries }) => [...before, ...entries]),
    limits,
  });
}
