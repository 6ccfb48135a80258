import { eq } from "drizzle-orm";
import { targetName } from "../../../contract/project/target.ts";
import type { RunStatus } from "../../../contract/run.ts";
import { type KeySlot, notDueAt } from "../../../domain/runs/key-slots.ts";
import { findReplayObstacle, type Obstacle, planResume } from "../../../domain/runs/resume.ts";
import type { NewRun } from "../../../ports/store/new-run.ts";
import type { NotResumed, RunToResume } from "../../../ports/store/run-store.ts";
import { reportEndsAgain } from "../../core/child-runs.ts";
import type { StoreSession } from "../../core/store-database.ts";
import { runAsync } from "../../shared/operation.ts";
import { replayOfSql } from "../lists/list-runs.ts";
import { lockRunKeys, assignKeySlots } from "../queue/key-slots.ts";
import { lockRoom } from "../queue/queue-room.ts";
import { run } from "../schema.ts";
import type { Session } from "../connection/session.ts";
import { isLimited } from "./run-rows.ts";
import { addEntries, type EntryOfRun } from "./timeline.ts";

/** Resumes runs in one transaction. The order of locks is that of accepting: queues, runs, keys. */
export async function resumeRuns(
  session: Session,
  {
    runs,
    now,
    toStoreSession,
  }: { runs: readonly RunToResume[]; now: number; toStoreSession: (session: Session) => StoreSession },
): Promise<(NotResumed | null)[]> {
  const room = await lockRoom(session, runs);
  const known = await lockEnded(
    session,
    runs.map(({ id }) => id),
  );
  await lockRunKeys(
    session,
    runs.flatMap(({ id, target }) => {
      const { key, keySlot } = known.get(id) ?? {};
      return key && keySlot === null ? [{ target: targetName(target), key }] : [];
    }),
  );
  const entries: EntryOfRun[] = [];
  const results: (NotResumed | null)[] = [];
  for (const one of runs) {
    const facts = known.get(one.id);
    known.delete(one.id);
    const plan = facts ? planResume(facts, { ...one, now }) : null;
    if (!facts || !plan || plan.obstacle) {
      results.push({ obstacle: plan?.obstacle ?? "missing" });
      continue;
    }
    const full = room.take([one]);
    results.push(full && { queue: full });
    if (full) continue;
    const slot = await slotOf(session, { facts, one, now });
    await session.db
      .update(run)
      .set({ ...plan.change, ...slot, isLimited: isLimited(one), workerId: null })
      .where(eq(run.id, one.id));
    if (facts.isParent) await runAsync(reportEndsAgain(toStoreSession(session), { parent: one.id, now }));
    entries.push({ runId: one.id, entry: plan.entry });
    session.concernsHosts = true;
  }
  await addEntries(session, entries);
  return results;
}

/** A run that blocks its key keeps its slot. */
async function slotOf(session: Session, { facts, one, now }: { facts: EndedRun; one: RunToResume; now: number }) {
  const { key, failureOf } = facts;
  if (facts.keySlot !== null) return {};
  const [slot] = await assignKeySlots(session, [{ ...one, key, failureOf, createdAt: now }]);
  return { ...slot, ...(slot?.keySlot === "waiting" && { availableAt: notDueAt }) };
}

interface EndedRun {
  id: string;
  status: RunStatus;
  attempt: number;
  key: string | null;
  keySlot: KeySlot | null;
  failureOf: string | null;
  replayedAs: string | null;
  isParent: boolean;
}

const lockSql = "SELECT id FROM signalbox.run WHERE id = ANY($1::text[]) ORDER BY id FOR NO KEY UPDATE";

const factsSql = `
  SELECT id, status, attempt, run_key AS key, key_slot AS "keySlot", failure_of AS "failureOf", is_parent AS "isParent", (${replayOfSql}) AS "replayedAs"
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
