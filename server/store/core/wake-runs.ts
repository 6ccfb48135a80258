import { and, asc, eq, gte, inArray, isNull, lte } from "drizzle-orm";
import {
  type FoundEvent,
  keyOfEvent,
  type MatchedEvent,
  type ToStoredResult,
  toStoredResult,
} from "../../domain/runs/event-waits.ts";
import type { WokenRun } from "../../ports/store/delivery-store.ts";
import { openStatuses } from "../../shared/runs/run-state.ts";
import type { Operation } from "../shared/operation.ts";
import type { RowKey } from "./column-types.ts";
import type { StoreSession } from "./store-database.ts";

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
export function* endWait(
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
    db.select({ attempt: runStep.attempt, result: runStep.result }).from(runStep).where(ofStep),
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
  if (p.dueAt !== null) {
    yield* recordEnd(session, { run: p.run, step: p.step, attempt: step.attempt, at: receivedAt, deliveryId, source });
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

/** The event of a wait is certain: no search can find an earlier one. The other events are no longer waited for. */
export function* recordEnd(
  session: StoreSession,
  p: { run: RowKey; step: string; attempt: number; at: number; deliveryId: string | null; source: string },
): Operation<void> {
  const { at, attempt, step: name, deliveryId, source } = p;
  const data = { deliveryId, source };
  yield* session.addEntry(p.run, { at, kind: "wait_finished", attempt, name, data });
  yield* closeSearch(session, p);
}

function* closeSearch(
  { db, tables: { runWait }, run }: StoreSession,
  p: { run: RowKey; step: string },
): Operation<void> {
  const ofStep = and(eq(runWait.run, p.run), eq(runWait.step, p.step));
  yield* run(db.delete(runWait).where(and(ofStep, isNull(runWait.deliveryId))));
  yield* run(db.update(runWait).set({ searchAt: null }).where(ofStep));
}
