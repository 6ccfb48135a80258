import { asc, desc, eq, gte, sql } from "drizzle-orm";
import { isEnded } from "../../../shared/runs/run-state.ts";
import { runStatusCodes, stepKindCodes } from "../../../domain/stored-codes.ts";
import type {
  EngineStore,
  ProgressResult,
  RunProgress,
  StepRecord,
  WorkerInfo,
} from "../../../ports/store/engine-store.ts";
import { packedUuid } from "../../../domain/ids.ts";
import type { CoreStore } from "../../core/core-store.ts";
import { startChildren, suspendForChildren } from "../../core/child-runs.ts";
import { closeWaits, suspendForEvents } from "../../core/suspend-for-events.ts";
import type { StoreSession } from "../../core/store-database.ts";
import { runSync } from "../../shared/operation.ts";
import { prepareClaimRuns } from "./claim-runs.ts";
import type { SqliteDatabase } from "../database.ts";
import { type EndHold, type EndHoldParts, type Held, prepareEndHold, setInputSql, settleSql } from "./end-hold.ts";
import { prepareListDueRuns } from "./due-runs.ts";
import { listCancelRequested, prepareExtendLeases, prepareNextAvailable } from "./leases.ts";
import { prepareClearLive, prepareLive } from "./live.ts";
import { prepareReconcile, prepareReleaseLostRuns } from "./lost-runs.ts";
import { run, runStep, worker } from "../schema.ts";
import { prepareShortenWaits } from "./shorten-waits.ts";
import { runId } from "../stored-forms.ts";
import { type AddEntry, implied, isImpliedEnd } from "../runs/timeline.ts";

export function createEngineStore(
  database: SqliteDatabase,
  { addEntry, session, ...parts }: EndHoldParts & { session: StoreSession },
): Omit<EngineStore, keyof CoreStore> {
  const { db, read, write } = database;
  const live = prepareLive(database.connection);
  const endHold = prepareEndHold(database, { addEntry, ...parts });
  const claims = prepareClaimRuns(database, { addEntry, ...parts });
  const writeProgress = prepareWriteProgress(database, { addEntry, endHold, session });
  const extendLeases = prepareExtendLeases(database);
  const releaseLostRuns = prepareReleaseLostRuns(database, { addEntry, endHold });
  const nextAvailableAt = prepareNextAvailable(database);
  const listDueRuns = prepareListDueRuns(database.connection);
  const loadSteps = prepareLoadSteps(database);
  const waits = prepareShortenWaits(database);
  const expiry = prepareReconcile(database, { addEntry, endHold });
  return {
    claimRuns: async (p) => ((await read(() => claims.hasDue(p))) ? write(() => claims.claim(p), "page-cache") : []),
    loadSteps: (runId) => read(() => loadSteps(runId)),
    writeProgress: (p) => write(() => writeProgress(p)),
    saveLive: (p) => write(() => live.save(p), "page-cache"),
    getLive: (runId) => read(() => live.get(runId)),
    extendLeases: (p) => write(() => extendLeases(p), "page-cache"),
    listCancelRequested: (runIds) => read(() => listCancelRequested(database, runIds)),
    releaseLostRuns: (p) => write(() => releaseLostRuns(p)),
    async reconcile(now, spare = new Set()) {
      const expired = (await read(() => expiry.hasExpired(now, spare)))
        ? await write(() => expiry.reconcile(now, spare))
        : 0;
      if (!(await read(() => waits.hasLong(now)))) return expired;
      const shortened = await write(() => waits.shorten(now));
      waits.done(now);
      return expired + shortened;
    },
    nextAvailableAt: (pool, after = -1) => read(() => nextAvailableAt(pool, after)),
    listDueRuns: (p) => read(() => listDueRuns(p)),
    heartbeatWorker: (info) => write(() => saveWorker(database, info), "page-cache"),
    removeWorker: (id) =>
      write(() => {
        db.delete(worker).where(eq(worker.id, id)).run();
      }),
    listWorkers: ({ seenSince }) =>
      read(() =>
        db
          .select()
          .from(worker)
          .where(gte(worker.seenAt, seenSince))
          .orderBy(desc(worker.startedAt), desc(worker.id))
          .all(),
      ),
  };
}

function prepareLoadSteps({ db }: SqliteDatabase): (runId: string) => StepRecord[] {
  const query = db
    .select({
      name: runStep.name,
      kind: runStep.kind,
      attempt: runStep.attempt,
      startedAt: runStep.startedAt,
      finishedAt: runStep.finishedAt,
      until: runStep.until,
      result: runStep.result,
      sequence: runStep.sequence,
    })
    .from(run)
    .innerJoin(runStep, eq(runStep.run, run.seq))
    .where(eq(run.id, sql.placeholder("runId")))
    .orderBy(asc(runStep.position))
    .prepare();
  return (id) => query.all({ runId: runId.pack(id) });
}

function saveWorker(
  { db }: SqliteDatabase,
  { id, pool = null, isResponsive = null, freeSlots = null, ...info }: WorkerInfo,
): void {
  const { pid, host, version, startedAt, seenAt } = info;
  const row = { pid, host, version, startedAt, seenAt, pool, isResponsive, freeSlots };
  db.insert(worker)
    .values({ id, ...row })
    .onConflictDoUpdate({ target: worker.id, set: row })
    .run();
}

/**
 * A sleep is written when it starts and again when it ends, and a step with retries after each try. A finished step
 * does not change after its completion has its number, and a wait that a delivery has ended stays ended.
 */
const saveStepSql = `
  INSERT INTO run_step (run, name, kind, attempt, started_at, finished_at, until, result, sequence)
  VALUES (@run, @name, @kind, @attempt, @startedAt, @finishedAt, @until, @result, @sequence)
  ON CONFLICT (run, name) DO UPDATE SET attempt = excluded.attempt, started_at = excluded.started_at,
    finished_at = excluded.finished_at, until = excluded.until, result = excluded.result, sequence = excluded.sequence
  WHERE run_step.finished_at IS NULL OR (run_step.sequence IS NULL AND excluded.finished_at IS NOT NULL)`;

/**
 * The end of most runs: they return, and nothing else is left to write. One statement does what the other path does
 * with several. It changes no row if anything is out of the ordinary.
 */
const completeSql = (more: string) => `
  UPDATE run SET ${more} ${settleSql({ now: "?", status: `${runStatusCodes.completed}` })}, status = ${runStatusCodes.completed},
    finished_at = ?, implied_entries = implied_entries | ${implied.ended},
    duration_ms = ?, output = ?, progress_seq = ?, worker_id = NULL, lease_until = NULL
  WHERE id = ? AND token = ? AND status = ${runStatusCodes.running} AND attempt = ? AND progress_seq < ?
    AND cancel_requested_at IS NULL AND key_slot IS NULL`;

function prepareComplete({ connection, changed }: SqliteDatabase): (progress: RunProgress) => boolean {
  const complete = connection.prepare(completeSql(""));
  const completeWithInput = connection.prepare(completeSql(`${setInputSql("?")},`));
  return (progress) => {
    const { runId: id, token, seq, now, input, entries, steps, spend, clearsLive, transition } = progress;
    const [last] = entries;
    if (transition?.to !== "completed" || seq === undefined || !last || entries.length > 1) return false;
    if (steps?.length || spend || clearsLive || progress.closesWaits || progress.children) return false;
    if (!isImpliedEnd(last, { ending: transition, attempt: last.attempt, now })) return false;
    const values = [
      now,
      now,
      last.durationMs ?? null,
      transition.output === null ? null : JSON.stringify(transition.output),
      seq,
      runId.pack(id),
      packedUuid.pack(token),
      last.attempt,
      seq,
    ];
    const text = input === undefined || input === null ? null : JSON.stringify(input);
    const { changes } = input === undefined ? complete.run(...values) : completeWithInput.run(text, text, ...values);
    if (changes === 0) return false;
    changed("runs");
    return true;
  };
}

function prepareWriteProgress(
  database: SqliteDatabase,
  p: { addEntry: AddEntry; endHold: EndHold; session: StoreSession },
): (progress: RunProgress) => ProgressResult {
  const { connection, changed } = database;
  const complete = prepareComplete(database);
  const find = prepareFind(connection);
  const saveStep = connection.prepare(saveStepSql);
  const saveInput = connection.prepare(`UPDATE run SET ${setInputSql("@input")} WHERE seq = @seq`);
  const saveSpend = connection.prepare("UPDATE run SET tokens = @tokens, cost_usd = @costUsd WHERE seq = @seq");
  const clearLive = prepareClearLive(connection);
  const saveProgressSeq = connection.prepare("UPDATE run SET progress_seq = @progressSeq WHERE seq = @seq");
  return (progress) => {
    if (complete(progress)) return { held: true, cancelRequested: false };
    const { now, input, entries, steps = [], spend, clearsLive, transition } = progress;
    const found = find(progress.runId, progress.token);
    if (!found) return { held: false, cancelRequested: false };
    const { seq, status, attempt, cancelRequestedAt, target, keySlot } = found;
    const progressSeq = progress.seq ?? found.progressSeq + 1;
    if (progressSeq <= found.progressSeq) return { held: true, cancelRequested: cancelRequestedAt !== null };
    if (status !== runStatusCodes.running) return { held: false, cancelRequested: false };
    const held: Held = { seq, attempt, cancelRequestedAt, target, keySlot, progressSeq };
    changed("runs");
    if (!transition) for (const entry of entries) p.addEntry(seq, entry);
    for (const { kind, result, ...step } of steps)
      saveStep.run({
        ...step,
        run: seq,
        kind: stepKindCodes[kind],
        result: result === null ? null : JSON.stringify(result),
      });
    if (progress.children) runSync(startChildren(p.session, { parent: seq, children: progress.children }));
    const endsRun = transition !== undefined && isEnded(transition.to);
    if (input !== undefined && !endsRun) saveInput.run({ seq, input: input === null ? null : JSON.stringify(input) });
    if (spend) saveSpend.run({ seq, ...spend });
    if (clearsLive) clearLive(seq);
    if (transition) p.endHold(held, { transition, now, entries, input: endsRun ? input : undefined });
    else saveProgressSeq.run({ seq, progressSeq });
    if (progress.waits && transition?.to === "waiting")
      runSync(
        suspendForEvents(p.session, {
          run: seq,
          waits: progress.waits,
          availableAt: transition.availableAt,
          now,
          searchAt: () => now,
        }),
      );
    if (progress.awaitsChildren && transition?.to === "waiting")
      runSync(suspendForChildren(p.session, { run: seq, now }));
    if (progress.closesWaits) runSync(closeWaits(p.session, seq));
    return { held: true, cancelRequested: held.cancelRequestedAt !== null };
  };
}

interface Found extends Held {
  status: number;
  progressSeq: number;
}

/** Read in the write transaction, so it stays valid until its end. */
function prepareFind(connection: SqliteDatabase["connection"]): (id: string, token: string) => Found | null {
  const find = connection.prepare<unknown[], Found>(
    "SELECT seq, status, attempt, cancel_requested_at AS cancelRequestedAt, target, key_slot AS keySlot, progress_seq AS progressSeq FROM run WHERE id = ? AND token = ?",
  );
  return (id: string, token: string) => find.get(runId.pack(id), packedUuid.pack(token)) ?? null;
}
