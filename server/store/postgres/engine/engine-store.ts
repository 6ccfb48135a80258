import { asc, desc, eq, gte } from "drizzle-orm";
import type { EngineStore, RunProgress, StepRecord, WorkerInfo } from "../../../ports/store/engine-store.ts";
import { notDueAt } from "../../../domain/runs/key-slots.ts";
import type { CoreStore } from "../../core/core-store.ts";
import type { CurrentLimits } from "../../../domain/runs/run-limits.ts";
import type { PostgresDatabase } from "../database.ts";
import { extendLeases, isStillRunning, type LeaseTime } from "./held-runs.ts";
import { getLive, type LiveRequest, saveLives } from "./live.ts";
import { adoptRuns, createFindSilent, releaseLostRuns } from "./lost-runs.ts";
import { claimRuns } from "../queue/claim-runs.ts";
import { listDueRuns, listQueueDepths, nextAvailableAt } from "../queue/due-runs.ts";
import { runStep, worker } from "../schema.ts";
import type { Session } from "../connection/session.ts";
import { type EventWaitParts, writeProgress } from "./write-progress.ts";

/** A sleep, or a step that waits for its next try. */
const isOpenSleep = "kind IN ('sleep', 'step') AND finished_at IS NULL AND until IS NOT NULL";

const longWaitsSql = `
  SELECT id, available_at AS "availableAt", is_resuming AS "isResuming" FROM signalbox.run
  WHERE status = 'waiting' AND available_at > $1 AND available_at < ${notDueAt} AND (
    EXISTS (SELECT 1 FROM signalbox.run_step WHERE run_id = run.id AND ${isOpenSleep} AND started_at > $1)
    OR EXISTS (SELECT 1 FROM signalbox.run_event WHERE run_id = run.id AND kind = 'retry_scheduled' AND at > $1)
  )`;

interface LongWait {
  id: string;
  availableAt: number;
  isResuming: boolean;
}

/** `toLeaseTime`: the time of leases, from that of the operation. */
export function createEngineStore(
  { read, write, writeRelaxed, createBatcher, apart }: PostgresDatabase,
  {
    toLeaseTime,
    limits,
    ...waiting
  }: { toLeaseTime: (now: number) => LeaseTime; limits: CurrentLimits } & EventWaitParts,
): Omit<EngineStore, keyof CoreStore> {
  const claiming = apart();
  const writeOne = createBatcher({
    maxBatch: 128,
    nameOf: ({ runId }: RunProgress) => runId,
    write: (session, all: readonly RunProgress[]) =>
      writeProgress(session, all, { limits: limits.current, ...waiting }),
  });
  const saveLive = createBatcher({
    maxBatch: 128,
    nameOf: ({ runId }: LiveRequest) => runId,
    write: saveLives,
    isRelaxed: true,
  });
  const findSilent = createFindSilent();
  /**
   * Until the clock goes back again there are no long waits to look for; the first time it may have been set back
   * before.
   */
  let lookedAt = Number.POSITIVE_INFINITY;

  async function shorten(now: number): Promise<number> {
    const mayHave = now < lookedAt && (await read((session) => hasLongWaits(session, now)));
    const shortened = mayHave ? await write((session) => shortenWaits(session, now)) : 0;
    lookedAt = now;
    return shortened;
  }

  return {
    claimRuns: (p) => claimRuns(claiming, { ...p, leaseTime: toLeaseTime(p.now) }),
    loadSteps: (runId) => read((session) => loadSteps(session, runId)),
    writeProgress: (p) => writeOne(p),
    saveLive: (p) => saveLive(p),
    getLive: (runId) => read((session) => getLive(session, runId)),
    extendLeases: (p) => writeRelaxed((session) => extendLeases(session, { ...p, at: toLeaseTime(p.now) })),
    listCancelRequested: (runIds) =>
      read(async (session) =>
        (
          await session.rows<{ id: string }>(
            `SELECT id FROM signalbox.run WHERE id = ANY($1::text[]) AND ${isStillRunning} AND cancel_requested_at IS NOT NULL`,
            [[...runIds]],
          )
        ).map(({ id }) => id),
      ),
    releaseLostRuns: (p) => write((session) => releaseLostRuns(session, { ...p, limits: limits.current })),
    async reconcile(now, spare = new Set()) {
      const at = toLeaseTime(now);
      const ids = await read((session) => findSilent(session, { at, spare }));
      const adopted =
        ids.length > 0
          ? await write((session) => adoptRuns(session, { ids, now, at, spare, findSilent, limits: limits.current }))
          : 0;
      return adopted + (await shorten(now));
    },
    nextAvailableAt: (pool, after = -1) => read((session) => nextAvailableAt(session, pool, after)),
    listDueRuns: (p) => read((session) => listDueRuns(session, p)),
    listQueueDepths: () => read(listQueueDepths),
    heartbeatWorker: (info) => writeRelaxed((session) => saveWorker(session, info)),
    removeWorker: (id) => writeRelaxed(async ({ db }) => void (await db.delete(worker).where(eq(worker.id, id)))),
    listWorkers: ({ seenSince }) =>
      read(({ db }) =>
        db.select().from(worker).where(gte(worker.seenAt, seenSince)).orderBy(desc(worker.startedAt), desc(worker.id)),
      ).then((rows) => rows.map(toWorkerInfo)),
  };
}

function loadSteps({ db }: Session, runId: string): Promise<StepRecord[]> {
  const { name, kind, attempt, startedAt, finishedAt, until, result, sequence } = runStep;
  return db
    .select({ name, kind, attempt, startedAt, finishedAt, until, result, sequence })
    .from(runStep)
    .where(eq(runStep.runId, runId))
    .orderBy(asc(runStep.position));
}

export const toWorkerInfo = ({ keptVersions, ...row }: typeof worker.$inferSelect): WorkerInfo => ({
  ...row,
  keptVersions: keptVersions.split(",").filter(Boolean),
});

async function saveWorker(
  { db }: Session,
  { id, isLeaving = false, keptVersions = [], pool = null, isResponsive = null, freeSlots = null, ...info }: WorkerInfo,
): Promise<void> {
  const row = { isLeaving, keptVersions: keptVersions.join(","), pool, isResponsive, freeSlots, ...info };
  await db
    .insert(worker)
    .values({ id, ...row })
    .onConflictDoUpdate({ target: worker.id, set: row });
}

/**
 * A wait that started in the future shows that the clock was set back since. The wait would be too long by that
 * difference. It is shortened so that it lasts at most its full duration from now; the elapsed part is unknown.
 */
async function hasLongWaits(session: Session, now: number): Promise<boolean> {
  return (await session.rows<LongWait>(`${longWaitsSql} LIMIT 1`, [now])).length > 0;
}

/** Returns the number of shortened waits. */
async function shortenWaits(session: Session, now: number): Promise<number> {
  let shortened = 0;
  for (const { id, availableAt, isResuming } of await session.rows<LongWait>(
    `${longWaitsSql} ORDER BY id FOR NO KEY UPDATE SKIP LOCKED`,
    [now],
  )) {
    // A run that waits for its next attempt may have sleeps of the last one.
    const at = isResuming ? await moveSleeps(session, id, now) : await endOfRetry(session, id, now);
    if (at === null || at >= availableAt) continue;
    shortened += await session.change(
      "UPDATE signalbox.run SET available_at = $2 WHERE id = $1 AND status = 'waiting'",
      [id, at],
    );
    session.concernsHosts = true;
  }
  return shortened;
}

/** The end of the first of its sleeps; `null` if it does not sleep. */
async function moveSleeps(session: Session, id: string, now: number): Promise<number | null> {
  const rows = await session.rows<{ end: number }>(
    `UPDATE signalbox.run_step SET started_at = least(started_at, $2), until = until - greatest(started_at - $2, 0)
     WHERE run_id = $1 AND ${isOpenSleep} RETURNING until AS "end"`,
    [id, now],
  );
  return rows.length > 0 ? Math.min(...rows.map(({ end }) => end)) : null;
}

async function endOfRetry(session: Session, id: string, now: number): Promise<number | null> {
  const [retry] = await session.rows<{ at: number; until: number | null }>(
    "SELECT at, until FROM signalbox.run_event WHERE run_id = $1 AND kind = 'retry_scheduled' ORDER BY id DESC LIMIT 1",
    [id],
  );
  return retry && retry.until !== null && retry.at > now ? now + retry.until - retry.at : null;
}
