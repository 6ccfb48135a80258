import { and, asc, eq, gte, inArray, isNotNull, isNull, lte, or } from "drizzle-orm";
import {
  type FoundEvent,
  keyOfEvent,
  keyOfWait,
  type MatchedEvent,
  pathsOf,
  planWait,
  type ToStoredResult,
  toStoredResult,
} from "../../domain/runs/event-waits.ts";
import type { DeliveryStore, WokenRun } from "../../ports/store/delivery-store.ts";
import type { EngineStore, EventWait } from "../../ports/store/engine-store.ts";
import { openStatuses } from "../../shared/runs/run-state.ts";
import type { Operation } from "../shared/operation.ts";
import type { RowKey } from "./column-types.ts";
import type { StoreDatabase, StoreSession } from "./store-database.ts";

export type EventWaitOperations = Pick<
  EngineStore,
  "listWaitsToSearch" | "deliverEvent" | "finishSearch" | "listEventResults"
> &
  Pick<DeliveryStore, "findWoken">;

/** The sets of paths by which runs wait for the events of a source, as far as the process that accepts knows. */
export type PathsOf = (source: string) => readonly string[];

/** The runs that the transaction of one or several deliveries wakes. */
export const maxWokenAtOnce = 200;

/** An open wait with a key that was looked for. */
export interface OpenWait {
  run: RowKey;
  runId: string;
  step: string;
  branch: string;
  matchKey: string;
  since: number;
  until: number;
  /** Whether earlier deliveries were searched. */
  isSearched: boolean;
}

/** A wait that a delivery ends. */
export type EndedWait = OpenWait & { event: MatchedEvent };

/** The keys of the waits that these events end, with the event of each. */
export function keysOfEvents(events: readonly MatchedEvent[], pathsOfSource: PathsOf): Map<string, MatchedEvent> {
  const keys = new Map<string, MatchedEvent>();
  for (const event of events)
    for (const paths of pathsOfSource(event.source)) {
      const key = keyOfEvent(event, paths);
      if (key !== null) keys.set(key, event);
    }
  return keys;
}

/**
 * Finds the open waits with these keys, and locks them with their runs: at most `maxWokenAtOnce`, because a sender
 * waits. The others are marked for a search, which finds the delivery after its commit.
 */
export function* findWaiting(
  session: StoreSession,
  keys: readonly string[],
  receivedAt: number,
): Operation<{ waits: OpenWait[]; hasMore: boolean }> {
  if (keys.length === 0) return { waits: [], hasMore: false };
  const { db, tables, lockedRows } = session;
  const { run, runWait } = tables;
  const { step, branch, matchKey, since, until, isSearched, deliveryId } = runWait;
  const isOpen = and(inArray(matchKey, [...keys]), isNull(deliveryId));
  const found = yield* lockedRows(
    db
      .select({ run: run.key, runId: run.id, step, branch, matchKey, since, until, isSearched })
      .from(runWait)
      .innerJoin(run, eq(run.key, runWait.run))
      .where(and(isOpen, inArray(run.status, [...openStatuses])))
      .orderBy(asc(run.key), asc(runWait.position))
      .limit(maxWokenAtOnce + 1),
  );
  const hasMore = found.length > maxWokenAtOnce;
  // What was received before was searched already.
  if (hasMore)
    yield* session.run(
      db
        .update(runWait)
        .set({ isSearched: false, searchAt: receivedAt, since: receivedAt })
        .where(and(isOpen, eq(isSearched, true), lte(since, receivedAt), gte(until, receivedAt))),
    );
  return { waits: found.slice(0, maxWokenAtOnce), hasMore };
}

/**
 * The waits that a delivery ends: of each run, the first one that it matches. `taken`: the steps that have an event,
 * among them those of other deliveries in the same transaction.
 */
export function takeWaits(
  waits: readonly OpenWait[],
  p: { keys: ReadonlyMap<string, MatchedEvent>; receivedAt: number; taken: Set<string> },
): EndedWait[] {
  const runs = new Set<RowKey>();
  return waits.flatMap((wait) => {
    const event = p.keys.get(wait.matchKey);
    const name = JSON.stringify([wait.run, wait.step]);
    const isInTime = wait.since <= p.receivedAt && p.receivedAt <= wait.until;
    if (!event || !isInTime || runs.has(wait.run) || p.taken.has(name)) return [];
    runs.add(wait.run);
    p.taken.add(name);
    return [{ ...wait, event }];
  });
}

/** Ends waits with a delivery. Returns the runs that have it, each once. */
export function* wake(
  session: StoreSession,
  waiting: readonly EndedWait[],
  {
    deliveryId,
    receivedAt,
    toResult,
  }: { deliveryId: string; receivedAt: number; toResult: ToStoredResult | undefined },
): Operation<WokenRun[]> {
  const woken = new Map<string, WokenRun>();
  for (const { run, runId, step, branch, event, isSearched } of waiting) {
    const found = { ...event, deliveryId, receivedAt };
    // The search can still find an earlier delivery, and then makes the run due.
    const dueAt = isSearched ? receivedAt : null;
    yield* endWait(session, { run, runId, step, branch, event: found, toResult, dueAt });
    if (!woken.has(runId)) woken.set(runId, { runId, source: event.source });
  }
  return [...woken.values()];
}

/** The caller has locked the run. `dueAt`: `null`: the run is not due yet. */
function* endWait(
  session: StoreSession,
  p: {
    run: RowKey;
    runId: string;
    step: string;
    branch: string;
    event: FoundEvent;
    toResult: ToStoredResult | undefined;
    dueAt: number | null;
  },
): Operation<void> {
  const { db, tables } = session;
  const { run, runStep, runWait } = tables;
  const { deliveryId, receivedAt, source, payload } = p.event;
  const { toResult = toStoredResult } = p;
  const ofStep = and(eq(runStep.run, p.run), eq(runStep.name, p.step), isNull(runStep.sequence));
  const [step] = yield* session.rows(
    db
      .select({ attempt: runStep.attempt, finishedAt: runStep.finishedAt, result: runStep.result })
      .from(runStep)
      .where(ofStep),
  );
  if (!step) return;
  const result = toResult(step.result, { branch: p.branch, source, deliveryId, payload }, p.runId);
  yield* session.run(db.update(runStep).set({ finishedAt: receivedAt, result }).where(ofStep));
  const ofWait = and(eq(runWait.run, p.run), eq(runWait.step, p.step));
  yield* session.run(
    db
      .update(runWait)
      .set({ deliveryId })
      .where(and(ofWait, eq(runWait.branch, p.branch))),
  );
  const data = { deliveryId, source };
  const { attempt } = step;
  if (step.finishedAt === null)
    yield* session.addEntry(p.run, { at: receivedAt, kind: "wait_finished", attempt, name: p.step, data });
  if (p.dueAt !== null) {
    yield* closeSearch(session, p);
    yield* session.run(
      db
        .update(run)
        .set({ availableAt: p.dueAt })
        .where(and(eq(run.key, p.run), eq(run.status, "waiting"))),
    );
    session.notifyHosts();
  }
  session.changed("runs");
}

/** The other events of a step that has one are no longer waited for. */
function* closeSearch(
  { db, tables: { runWait }, run }: StoreSession,
  p: { run: RowKey; step: string },
): Operation<void> {
  const ofStep = and(eq(runWait.run, p.run), eq(runWait.step, p.step));
  yield* run(db.delete(runWait).where(and(ofStep, isNull(runWait.deliveryId))));
  yield* run(db.update(runWait).set({ searchAt: null }).where(ofStep));
}

/** Removes the waits of a run that has ended. */
export function* closeWaits({ db, tables: { runWait }, run }: StoreSession, key: RowKey): Operation<void> {
  yield* run(db.delete(runWait).where(and(eq(runWait.run, key), isNull(runWait.deliveryId))));
  yield* run(
    db
      .update(runWait)
      .set({ searchAt: null })
      .where(and(eq(runWait.run, key), isNotNull(runWait.searchAt))),
  );
}

/**
 * Records the waits of a run that was suspended in this transaction, and decides when it is due. `availableAt`: when it
 * would be due without them. `searchAt`: when a search for a wait with these paths is final; see `unknownPathsMs`.
 */
export function* suspendForEvents(
  session: StoreSession,
  p: {
    run: RowKey;
    waits: readonly EventWait[];
    availableAt: number;
    now: number;
    searchAt: (source: string, paths: string) => number;
  },
): Operation<void> {
  const { db, tables } = session;
  const { run, runStep, runWait, waitPaths } = tables;
  const [suspended] = yield* session.rows(
    db.select({ status: run.status, attempt: run.attempt }).from(run).where(eq(run.key, p.run)),
  );
  if (suspended?.status !== "waiting") return yield* closeWaits(session, p.run);
  const known = yield* session.rows(
    db.select({ step: runWait.step, branch: runWait.branch }).from(runWait).where(eq(runWait.run, p.run)),
  );
  for (const wait of p.waits) {
    const { step, branch, source, match, storedMatch = match, since, until } = wait;
    if (known.some((one) => one.step === step && one.branch === branch)) continue;
    const paths = pathsOf(match);
    const matchKey = keyOfWait(wait);
    yield* session.run(
      db
        .insert(waitPaths)
        .values({ id: `${source} ${paths}`, source, paths })
        .onConflictDoNothing(),
    );
    const row = { step, branch, source, match: storedMatch, matchKey, since, until };
    yield* session.run(db.insert(runWait).values({ run: p.run, ...row, searchAt: p.searchAt(source, paths) }));
  }
  let dueAt = p.availableAt;
  for (const name of new Set(p.waits.map(({ step }) => step))) {
    const [step] = yield* session.rows(
      db
        .select({ finishedAt: runStep.finishedAt, until: runStep.until, startedAt: runStep.startedAt })
        .from(runStep)
        .where(and(eq(runStep.run, p.run), eq(runStep.name, name))),
    );
    const ofStep = and(eq(runWait.run, p.run), eq(runWait.step, name));
    const [unsearched] = yield* session.rows(
      db
        .select({ searchAt: runWait.searchAt, isSearched: runWait.isSearched })
        .from(runWait)
        .where(and(ofStep, isNotNull(runWait.searchAt)))
        .orderBy(asc(runWait.isSearched))
        .limit(1),
    );
    if (!step) continue;
    const { finishedAt, startedAt, until } = step;
    const plan = planWait({ finishedAt, until: until ?? startedAt, searchAt: unsearched?.searchAt ?? null }, p.now);
    if (plan.kind === "timed_out")
      yield* timeOut(session, { run: p.run, step: name, attempt: suspended.attempt, at: until ?? p.now });
    // The search decides when a run that has its event is due.
    if (plan.kind === "ended" && unsearched?.isSearched === false) continue;
    dueAt = Math.min(dueAt, plan.kind === "open" ? plan.dueAt : p.now);
  }
  if (dueAt !== p.availableAt) yield* session.run(db.update(run).set({ availableAt: dueAt }).where(eq(run.key, p.run)));
}

function* timeOut(
  session: StoreSession,
  p: { run: RowKey; step: string; attempt: number; at: number },
): Operation<void> {
  const { db, tables } = session;
  const { runStep, runWait } = tables;
  yield* session.run(
    db
      .update(runStep)
      .set({ finishedAt: p.at })
      .where(and(eq(runStep.run, p.run), eq(runStep.name, p.step), isNull(runStep.finishedAt))),
  );
  yield* session.run(db.delete(runWait).where(and(eq(runWait.run, p.run), eq(runWait.step, p.step))));
  yield* session.addEntry(p.run, { at: p.at, kind: "wait_finished", attempt: p.attempt, name: p.step });
}

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
          db.select({ until: runWait.until, deliveryId: runWait.deliveryId }).from(runWait).where(ofStep),
        );
        const [first] = waits;
        if (!first) return;
        const hasEvent = waits.some(({ deliveryId }) => deliveryId !== null);
        if (hasEvent) yield* closeSearch(session, { run: found.key, step });
        else
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
        const { kind, finishedAt, position, result } = runStep;
        const found = yield* rows(
          db
            .select({ result })
            .from(runStep)
            .innerJoin(run, eq(run.key, runStep.run))
            .where(and(eq(run.id, runId), eq(kind, "event"), isNotNull(finishedAt)))
            .orderBy(asc(position)),
        );
        return found.flatMap((one) => one.result ?? []);
      }),
    findWoken: (ids) => readInTurn((session) => findWoken(session, ids)),
  };
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
