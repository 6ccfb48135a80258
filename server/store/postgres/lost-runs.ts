import type { EngineStore } from "../../ports/store/engine-store.ts";
import { decideEnding, endHolds, type Ending, type Held } from "./end-holds.ts";
import { clearLives } from "./live.ts";
import type { Session } from "./session.ts";
import { addEntries, type EntryOfRun } from "./timeline.ts";

type Release = Parameters<EngineStore["releaseLostRuns"]>[0];

const lockHeldBySql = `
  SELECT id, token, attempt, cancel_requested_at AS "cancelRequestedAt" FROM run
  WHERE id = ANY($1::text[]) AND worker_id = $2 AND status = 'running' AND token IS NOT NULL ORDER BY id FOR NO KEY UPDATE`;

const countCrashesSql = `
  UPDATE run SET crashes = crashes + 1, is_isolated = is_isolated OR f.isolate FROM unnest($1::text[], $2::boolean[]) AS f (id, isolate) WHERE run.id = f.id`;

/** After a worker process ended: its runs go back as its supervisor says. */
export async function releaseLostRuns(session: Session, { workerId, now, message, runs }: Release): Promise<void> {
  const locked = new Map(
    (await session.rows<Held>(lockHeldBySql, [runs.map(({ id }) => id), workerId])).map((held) => [held.id, held]),
  );
  const lost = runs.flatMap(({ id, fate }) => {
    const held = locked.get(id);
    return held ? [{ held, fate }] : [];
  });
  await giveBack(
    session,
    lost.map(({ held, fate }) => ({
      ending: { held, transition: fate.kind === "fail" ? fate.transition : { to: "queued" }, now },
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

const expiredSql = "SELECT EXISTS (SELECT 1 FROM run WHERE lease_until <= $1 AND id <> ALL($2::text[])) AS found";

const lockExpiredSql = `
  SELECT id, token, attempt, cancel_requested_at AS "cancelRequestedAt" FROM run
  WHERE lease_until <= $1 AND id <> ALL($2::text[]) AND token IS NOT NULL ORDER BY id FOR NO KEY UPDATE SKIP LOCKED`;

export async function hasExpired(session: Session, now: number, spare: ReadonlySet<string>): Promise<boolean> {
  return (await session.rows<{ found: boolean }>(expiredSql, [now, [...spare]]))[0]?.found ?? false;
}

/**
 * Runs whose lease ran out; see `reconcile` of the port. Those that somebody writes at this moment are left to the next
 * time.
 */
export async function reconcile(session: Session, now: number, spare: ReadonlySet<string>): Promise<number> {
  const expired = await session.rows<Held>(lockExpiredSql, [now, [...spare]]);
  const message = "The lease of its worker expired: the worker stopped responding.";
  await giveBack(
    session,
    expired.map((held) => ({
      ending: { held, transition: { to: "queued" }, now },
      entries: [{ runId: held.id, entry: { at: now, kind: "worker_lost", attempt: held.attempt, message } }],
    })),
  );
  return expired.length;
}

async function giveBack(session: Session, lost: readonly { ending: Ending; entries: EntryOfRun[] }[]): Promise<void> {
  const decided = lost.map(({ ending, entries }) => ({ before: entries, ...decideEnding(ending) }));
  await addEntries(
    session,
    decided.flatMap(({ before, entries }) => [...before, ...entries]),
  );
  await clearLives(
    session,
    lost.map(({ ending }) => ending.held.id),
  );
  await endHolds(
    session,
    decided.map(({ ending }) => ending),
  );
}
