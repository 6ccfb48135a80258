import { asc, desc, eq, gte, sql } from "drizzle-orm";
import type { EngineStore, StepRecord, WorkerInfo } from "../../ports/store/engine-store.ts";
import { prepareClaimRuns } from "./claim-runs.ts";
import type { SqliteDatabase } from "./database.ts";
import { prepareEndHold } from "./end-hold.ts";
import { countQueued, listCancelRequested, listHeldRuns, prepareExtendLeases, prepareNextAvailable } from "./leases.ts";
import { prepareLive } from "./live.ts";
import { prepareReconcile, prepareReleaseLostRuns } from "./lost-runs.ts";
import { run, runStep, worker } from "./schema.ts";
import { runId } from "./stored-forms.ts";
import { prepareShortenWaits } from "./shorten-waits.ts";
import type { AddEntry } from "./timeline.ts";
import { prepareWriteProgress } from "./write-progress.ts";

export function createEngineStore(database: SqliteDatabase, addEntry: AddEntry): EngineStore {
  const { db, read, write } = database;
  const live = prepareLive(database.connection);
  const endHold = prepareEndHold(database, addEntry);
  const claims = prepareClaimRuns(database, addEntry);
  const writeProgress = prepareWriteProgress(database, { addEntry, endHold });
  const extendLeases = prepareExtendLeases(database);
  const releaseLostRuns = prepareReleaseLostRuns(database, { addEntry, endHold });
  const nextAvailableAt = prepareNextAvailable(database);
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
    listHeldRuns: (workerId) => read(() => listHeldRuns(database, workerId)),
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
    countQueued: (pool) => read(() => countQueued(database, pool)),
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
    })
    .from(run)
    .innerJoin(runStep, eq(runStep.run, run.seq))
    .where(eq(run.id, sql.placeholder("runId")))
    .orderBy(asc(runStep.position))
    .prepare();
  return (id) => query.all({ runId: runId.pack(id) });
}

function saveWorker({ db }: SqliteDatabase, info: WorkerInfo): void {
  const { pid, host, version, startedAt, seenAt } = info;
  db.insert(worker)
    .values(info)
    .onConflictDoUpdate({ target: worker.id, set: { pid, host, version, startedAt, seenAt } })
    .run();
}
