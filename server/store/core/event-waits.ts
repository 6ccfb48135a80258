import { and, asc, eq, inArray, isNotNull, isNull, lte, or } from "drizzle-orm";
import type { DeliveryStore, WokenRun } from "../../ports/store/delivery-store.ts";
import type { EngineStore } from "../../ports/store/engine-store.ts";
import { openStatuses } from "../../shared/runs/run-state.ts";
import type { Operation } from "../shared/operation.ts";
import type { RowKey } from "./column-types.ts";
import type { StoreDatabase, StoreSession } from "./store-database.ts";
import { endWait, recordEnd } from "./wake-runs.ts";

export type EventWaitOperations = Pick<
  EngineStore,
  "listWaitsToSearch" | "deliverEvent" | "finishSearch" | "listEventResults"
> &
  Pick<DeliveryStore, "findWoken">;

export function createEventWaits({ tables, read, readInTurn, write }: StoreDatabase): EventWaitOperations {
  const { run, runStep, runWait } = tables;

  /** Locks a run, so that a search and a delivery take effect one after the other. */
  function* lockOpenRun({ db, lockedRows }: StoreSession, id: string) {
    const { key, status, availableAt } = run;
    const [found] = yield* lockedRows(
      db
        .select({ key, status, availableAt })
        .from(run)
        .where(and(eq(run.id, id), inArray(status, [...openStatuses]))),
    );
    return found;
  }

  return {
    listWaitsToSearch: ({ now, limit, runId }) =>
      read(function* (session) {
        const { db, rows } = session;
        const isDue =
          runId === undefined ? lte(runWait.searchAt, now) : and(eq(run.id, runId), eq(runWait.isSearched, false));
        const { step, branch, source, match, since, until, searchAt } = runWait;
        const found = yield* rows(
          db
            .select({ runId: run.id, step, branch, source, match, since, until, searchAt })
            .from(runWait)
            .innerJoin(run, eq(run.key, runWait.run))
            .where(and(isNotNull(searchAt), isDue, inArray(run.status, [...openStatuses])))
            .orderBy(asc(searchAt), asc(runWait.position))
            .limit(limit),
        );
        const used = yield* listUsed(session, [...new Set(found.map((wait) => wait.runId))]);
        return found.map(({ searchAt: at, ...wait }) => ({
          ...wait,
          isFinal: at !== null && at <= now,
          used: used.flatMap((one) =>
            one.runId === wait.runId && one.step !== wait.step ? (one.deliveryId ?? []) : [],
          ),
        }));
      }),
    deliverEvent: ({ runId, step, branch, event, toResult, now }) =>
      write(function* (session): Operation<boolean> {
        const found = yield* lockOpenRun(session, runId);
        if (!found) return false;
        const ofStep = and(eq(runWait.run, found.key), eq(runWait.step, step));
        const waits = yield* session.rows(
          session.db
            .select({ branch: runWait.branch, deliveryId: runWait.deliveryId })
            .from(runWait)
            .where(and(ofStep, isNotNull(runWait.searchAt))),
        );
        if (!waits.some((wait) => wait.branch === branch)) return false;
        // An active run may already have loaded its event.
        const hasEvent = waits.some(({ deliveryId }) => deliveryId !== null);
        if (hasEvent && found.status !== "waiting") return false;
        yield* session.run(session.db.update(runWait).set({ deliveryId: null }).where(ofStep));
        yield* endWait(session, { run: found.key, runId, step, branch, event, toResult, dueAt: now });
        return true;
      }),
    finishSearch: ({ runId, step, isFinal, now }) =>
      write(function* (session) {
        const { db } = session;
        const found = yield* lockOpenRun(session, runId);
        if (!found) return;
        const ofStep = and(eq(runWait.run, found.key), eq(runWait.step, step));
        const waits = yield* session.rows(
          db
            .select({ until: runWait.until, deliveryId: runWait.deliveryId, source: runWait.source })
            .from(runWait)
            .where(ofStep),
        );
        const [first] = waits;
        if (!first) return;
        const ended = waits.find(({ deliveryId }) => deliveryId !== null);
        const hasEvent = ended !== undefined;
        if (ended) {
          yield* endSearch(session, { run: found.key, step, ...ended });
        } else
          yield* session.run(
            db
              .update(runWait)
              .set({ isSearched: true, ...(isFinal && { searchAt: null }) })
              .where(ofStep),
          );
        if (!hasEvent && !isFinal) return;
        const dueAt = Math.min(found.availableAt, hasEvent ? now : first.until);
        if (found.status !== "waiting" || dueAt === found.availableAt) return;
        yield* session.run(db.update(run).set({ availableAt: dueAt }).where(eq(run.key, found.key)));
        session.notifyHosts();
      }),
    listEventResults: (runId) =>
      readInTurn(function* ({ db, rows }) {
        const { finishedAt, name, position, result } = runStep;
        // By the waits: a run can have thousands of steps.
        const found = yield* rows(
          db
            .select({ result })
            .from(run)
            .innerJoin(runWait, eq(runWait.run, run.key))
            .innerJoin(runStep, and(eq(runStep.run, run.key), eq(name, runWait.step)))
            .where(and(eq(run.id, runId), isNotNull(runWait.deliveryId), isNotNull(finishedAt)))
            .orderBy(asc(position)),
        );
        return found.flatMap((one) => one.result ?? []);
      }),
    findWoken: (ids) => readInTurn((session) => findWoken(session, ids)),
  };
}

/** The search has found no earlier event than the one that the wait has. */
function* endSearch(
  session: StoreSession,
  p: { run: RowKey; step: string; deliveryId: string | null; source: string },
): Operation<void> {
  const { db, tables, rows } = session;
  const { runStep } = tables;
  const { attempt, finishedAt } = runStep;
  const [step] = yield* rows(
    db
      .select({ attempt, finishedAt })
      .from(runStep)
      .where(and(eq(runStep.run, p.run), eq(runStep.name, p.step))),
  );
  if (!step || step.finishedAt === null) return;
  yield* recordEnd(session, { ...p, attempt: step.attempt, at: step.finishedAt });
}

/** The deliveries that runs have as their events. */
function* listUsed({ db, tables: { run, runWait }, rows }: StoreSession, runIds: readonly string[]) {
  const { step, deliveryId } = runWait;
  return yield* rows(
    db
      .select({ runId: run.id, step, deliveryId })
      .from(runWait)
      .innerJoin(run, eq(run.key, runWait.run))
      .where(and(inArray(run.id, [...runIds]), isNotNull(deliveryId))),
  );
}

/** The runs that had these deliveries as their events. */
export function* findWoken(
  { db, tables: { run, runWait }, rows }: StoreSession,
  ids: readonly string[],
): Operation<Map<string, WokenRun[]>> {
  const { deliveryId, source } = runWait;
  const found = yield* rows(
    db
      .select({ deliveryId, source, runId: run.id })
      .from(runWait)
      .innerJoin(run, eq(run.key, runWait.run))
      .where(and(isNotNull(deliveryId), inArray(deliveryId, [...ids])))
      .orderBy(asc(run.createdAt), asc(run.id)),
  );
  const woken = new Map<string, WokenRun[]>();
  for (const { deliveryId: id, runId, source: slug } of found) {
    const runs = woken.get(id ?? "") ?? [];
    if (!runs.some((one) => one.runId === runId)) woken.set(id ?? "", [...runs, { runId, source: slug }]);
  }
  return woken;
}

/** The open waits of runs, for lists. */
export function* listOpenWaits({ db, tables: { run, runWait }, rows }: StoreSession, ids: readonly string[]) {
  const { step, source, match, until } = runWait;
  return yield* rows(
    db
      .select({ runId: run.id, step, source, match, until })
      .from(runWait)
      .innerJoin(run, eq(run.key, runWait.run))
      .where(
        and(
          inArray(run.id, [...ids]),
          isNull(runWait.deliveryId),
          or(eq(run.status, "waiting"), eq(run.status, "queued")),
        ),
      )
      .orderBy(asc(runWait.position)),
  );
}
