import { eq } from "drizzle-orm";
import type { RunStatus } from "../../../contract/run.ts";
import { findReplayObstacle, type Obstacle, planResume } from "../../../domain/runs/resume.ts";
import type { NewRun, NotResumed, RunToResume } from "../../../ports/store/run-store.ts";
import { replayOfSql } from "../lists/list-runs.ts";
import { lockRoom } from "../queue/queue-room.ts";
import { run } from "../schema.ts";
import type { Session } from "../connection/session.ts";
import { isLimited } from "./run-rows.ts";
import { addEntries, type EntryOfRun } from "./timeline.ts";

/** Resumes runs in one transaction. The order of locks is that of accepting: queues, then runs. */
export async function resumeRuns(
  session: Session,
  { runs, now }: { runs: readonly RunToResume[]; now: number },
): Promise<(NotResumed | null)[]> {
  const room = await lockRoom(session, runs);
  const known = await lockEnded(
    session,
    runs.map(({ id }) => id),
  );
  const entries: EntryOfRun[] = [];
  const results: (NotResumed | null)[] = [];
  for (const one of runs) {
    const facts = known.get(one.id);
    known.delete(one.id);
    const plan = facts ? planResume(facts, { ...one, now }) : null;
    if (!plan || plan.obstacle) {
      results.push({ obstacle: plan?.obstacle ?? "missing" });
      continue;
    }
    const full = room.take([one]);
    results.push(full && { queue: full });
    if (full) continue;
    await session.db
      .update(run)
      .set({ ...plan.change, isLimited: isLimited(one), workerId: null })
      .where(eq(run.id, one.id));
    entries.push({ runId: one.id, entry: plan.entry });
    session.concernsHosts = true;
  }
  await addEntries(session, entries);
  return results;
}

interface EndedRun {
  id: string;
  status: RunStatus;
  attempt: number;
  replayedAs: string | null;
}

const lockSql = "SELECT id FROM signalbox.run WHERE id = ANY($1::text[]) ORDER BY id FOR NO KEY UPDATE";

const factsSql = `
  SELECT id, status, attempt, (${replayOfSql}) AS "replayedAs"
  FROM signalbox.run WHERE id = ANY($1::text[])`;

/**
 * Locks the runs, so that two resumes, or a resume and a replay, take effect one after the other. The facts are read
 * afterwards: they include what other transactions committed while this one waited.
 */
async function lockEnded(session: Session, ids: readonly string[]): Promise<Map<string, EndedRun>> {
  await session.rows(lockSql, [ids]);
  return new Map((await session.rows<EndedRun>(factsSql, [ids])).map((row) => [row.id, row]));
}

/** The runs that get their only replay. */
export interface ReplayedRuns {
  /** Why the replay cannot be recorded; `null`: it can. */
  findObstacle(newRun: NewRun): Obstacle | "missing" | null;
  /** Called for every replay that is recorded. */
  add(newRun: NewRun): void;
}

/** Locks the runs that get their only replay. Other runs cost nothing. */
export async function lockReplayed(session: Session, runs: readonly NewRun[]): Promise<ReplayedRuns> {
  const ids = runs.flatMap(({ isOnlyReplay, replayOf }) => (isOnlyReplay && replayOf !== null ? [replayOf] : []));
  const known = ids.length === 0 ? new Map<string, EndedRun>() : await lockEnded(session, [...new Set(ids)]);
  return {
    findObstacle({ isOnlyReplay, replayOf }) {
      if (!isOnlyReplay || replayOf === null) return null;
      const facts = known.get(replayOf);
      return facts ? findReplayObstacle(facts) : "missing";
    },
    add({ id, replayOf }) {
      const facts = replayOf === null ? undefined : known.get(replayOf);
      if (facts) known.set(facts.id, { ...facts, replayedAs: id });
    },
  };
}
