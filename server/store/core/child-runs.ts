import { aliasedTable, and, asc, eq, inArray, isNotNull, isNull, notInArray, or } from "drizzle-orm";
import {
  isResumedWith,
  listCallsToReopen,
  planCall,
  planChild,
  toChildResult,
  type ToChildResult,
} from "../../domain/runs/child-runs.ts";
import type { Descendant, EngineStore } from "../../ports/store/engine-store.ts";
import type { Json } from "../../contract/json.ts";
import type { NewRun } from "../../ports/store/new-run.ts";
import { failedStatuses, isEnded, openStatuses } from "../../shared/runs/run-state.ts";
import type { Operation } from "../shared/operation.ts";
import type { RowKey } from "./column-types.ts";
import { cancelRun } from "./run-decisions.ts";
import type { StoreDatabase, StoreSession } from "./store-database.ts";

export type ChildRunOperations = Pick<EngineStore, "settleRuns" | "reopenCalls" | "listDescendants">;

/** Parents in one statement. */
const idsAtOnce = 500;

export function createChildRuns({
  tables: { run, runWait },
  forms,
  read,
  readInTurn,
  write,
}: StoreDatabase): ChildRunOperations {
  return {
    async settleRuns({ now, limit, toResult = toChildResult }) {
      const due = await read(({ db, rows }) =>
        rows(
          db
            .select({ id: run.id, childOf: run.childOf, isParent: run.isParent })
            .from(run)
            .where(isNotNull(run.settleAt))
            .orderBy(asc(run.settleAt))
            .limit(limit),
        ),
      );
      if (due.length > 0) await write((session) => settle(session, due, { now, limit, toResult }));
      return due.length > 0;
    },
    reopenCalls: (p) => write((session) => reopenCalls(session, p)),
    listDescendants: ({ runId, limit }) =>
      readInTurn(function* (session) {
        const found: Descendant[] = [];
        let parents = [runId];
        while (parents.length > 0 && found.length < limit) {
          const children = yield* listChildren(session, parents.slice(0, idsAtOnce), limit - found.length);
          found.push(...children);
          parents = [...parents.slice(idsAtOnce), ...children.map((child) => child.runId)];
        }
        return found;
      }),
  };

  function* listChildren({ db, rows }: StoreSession, parents: readonly string[], limit: number) {
    const { id, key, targetKind: kind, targetSlug: slug, childOf, createdAt } = run;
    const areChildren = inArray(childOf, [...parents]);
    const children = yield* rows(
      db
        .select({ id, kind, slug })
        .from(forms.runsBy("run_by_parent"))
        .where(areChildren)
        .orderBy(asc(createdAt), asc(key))
        .limit(limit),
    );
    const waits = yield* rows(
      db
        .selectDistinct({ id })
        .from(run)
        .innerJoin(runWait, eq(runWait.run, key))
        .where(and(areChildren, isNotNull(runWait.deliveryId))),
    );
    const withEvents = new Set(waits.map((wait) => wait.id));
    return children.map((child): Descendant => {
      const target = { kind: child.kind, slug: child.slug };
      return { runId: child.id, target, hasEvents: withEvents.has(child.id) };
    });
  }
}

/** Records the runs that begin with the steps of their parent, whose row is locked. */
export function* startChildren(
  session: StoreSession,
  p: { parent: RowKey; children: readonly NewRun[] },
): Operation<void> {
  const { run } = session.tables;
  yield* session.insertRuns(p.children);
  if (p.children.some(({ child }) => child && child.link !== "start"))
    yield* session.run(session.db.update(run).set({ isParent: true }).where(eq(run.key, p.parent)));
}

/** A resumed run gets the ends of the children that it has called. It missed those that ended after itself. */
export function* reportEndsAgain(
  { db, tables: { run }, run: execute }: StoreSession,
  p: { parent: string; now: number },
) {
  const isAwaited = and(eq(run.childOf, p.parent), inArray(run.childLink, ["call", "kept_call"]));
  yield* execute(
    db
      .update(run)
      .set({ settleAt: p.now })
      .where(and(isAwaited, notInArray(run.status, [...openStatuses]))),
  );
}

/** Decides when a run that was suspended in this transaction is due, as it waits for child runs. */
export function* suspendForChildren(session: StoreSession, p: { run: RowKey; now: number }): Operation<void> {
  const { db, tables, rows } = session;
  const { run, runStep } = tables;
  const { id, status, attempt, availableAt } = run;
  const [suspended] = yield* rows(db.select({ id, status, attempt, availableAt }).from(run).where(eq(run.key, p.run)));
  if (suspended?.status !== "waiting") return;
  const { name, finishedAt, until } = runStep;
  const calls = yield* rows(
    db
      .select({ name, finishedAt, until })
      .from(runStep)
      .where(and(eq(runStep.run, p.run), eq(runStep.kind, "child"), isNull(runStep.sequence))),
  );
  let dueAt = suspended.availableAt;
  for (const call of calls) {
    const plan = planCall(call, p.now);
    if (plan === "timed_out") {
      const at = call.until ?? p.now;
      yield* timeOut(session, { run: p.run, runId: suspended.id, step: call.name, attempt: suspended.attempt, at });
    }
    dueAt = Math.min(dueAt, typeof plan === "object" ? plan.dueAt : p.now);
  }
  if (dueAt !== suspended.availableAt)
    yield* session.run(db.update(run).set({ availableAt: dueAt }).where(eq(run.key, p.run)));
}

function* reopenCalls(
  session: StoreSession,
  { runId, fatalId, now }: Parameters<EngineStore["reopenCalls"]>[0],
): Operation<string[]> {
  const { db, tables, rows, lockedRows } = session;
  const { run, runStep } = tables;
  const [failed] = yield* lockedRows(
    db
      .select({ key: run.key, finishedAt: run.finishedAt })
      .from(run)
      .where(and(eq(run.id, runId), inArray(run.status, [...failedStatuses, "canceled"]))),
  );
  if (!failed) return [];
  const { name, startedAt, finishedAt, until, sequence } = runStep;
  const { cancelRequestedAt } = run;
  const child = { id: run.id, status: run.status, finishedAt: run.finishedAt, cancelRequestedAt };
  const calls = yield* rows(
    db
      .select({ name, startedAt, finishedAt, until, sequence, child })
      .from(runStep)
      .innerJoin(run, and(eq(run.childOf, runId), eq(run.childStep, name)))
      .where(
        and(eq(runStep.run, failed.key), eq(runStep.kind, "child"), inArray(run.childLink, ["call", "kept_call"])),
      ),
  );
  const steps = yield* rows(
    db.select({ startedAt, finishedAt, sequence }).from(runStep).where(eq(runStep.run, failed.key)),
  );
  const reopened = listCallsToReopen(calls, { steps, fatalId });
  for (const call of reopened)
    yield* session.run(
      db
        .update(runStep)
        .set({
          startedAt: now,
          finishedAt: null,
          until: call.until === null ? null : now + call.until - call.startedAt,
          sequence: null,
        })
        .where(and(eq(runStep.run, failed.key), eq(runStep.name, call.name))),
    );
  return calls.flatMap((call) =>
    isResumedWith(failed, call.child) && (call.finishedAt === null || reopened.includes(call)) ? [call.child.id] : [],
  );
}

/** Ends a call without a result. Its child is canceled when the run is settled. */
function* timeOut(
  session: StoreSession,
  p: { run: RowKey; runId: string; step: string; attempt: number; at: number },
): Operation<void> {
  const { db, tables } = session;
  const { run, runStep } = tables;
  const ofStep = and(eq(runStep.run, p.run), eq(runStep.name, p.step));
  yield* session.run(db.update(runStep).set({ finishedAt: p.at }).where(ofStep));
  yield* session.run(db.update(run).set({ settleAt: p.at }).where(eq(run.key, p.run)));
  const [child] = yield* session.rows(
    db
      .select({ id: run.id })
      .from(run)
      .where(and(eq(run.childOf, p.runId), eq(run.childStep, p.step))),
  );
  const data = child ? { runId: child.id, status: "timed_out" } : null;
  yield* session.addEntry(p.run, {
    at: p.at,
    kind: "child_finished",
    attempt: p.attempt,
    name: p.step,
    ...(data && { data }),
  });
  session.notifyHosts();
}

interface SettleOrder {
  now: number;
  /** Children of one run that are canceled in this transaction. */
  limit: number;
  toResult: ToChildResult;
}

function* settle(
  session: StoreSession,
  due: readonly { id: string; childOf: string | null; isParent: boolean }[],
  p: SettleOrder,
): Operation<void> {
  const { db, tables } = session;
  const { run } = tables;
  const ids = due.map(({ id }) => id);
  const unneeded = yield* findUnneeded(session, due, p.limit);
  const parents = due.flatMap(({ childOf }) => childOf ?? []);
  // In one order, so that two transactions never wait for each other.
  const concerned = [...new Set([...ids, ...parents, ...unneeded.map(({ id }) => id)])].toSorted();
  const family = yield* lockFamily(session, concerned);
  const members = new Map(family.map((member) => [member.id, member]));
  const steps = yield* readSteps(session, members);
  const stepOf = ({ id }: Member) => steps.get(id) ?? null;
  const settled: Member[] = [];
  for (const id of ids) {
    const member = members.get(id);
    if (!member) continue;
    const parent = members.get(member.childOf ?? "");
    if (parent) yield* deliverEnd(session, { child: member, parent, step: stepOf(member), ...p });
    for (const child of family)
      if (child.childOf === id && isUnneeded({ child, parent: member, step: stepOf(child) }))
        yield* cancelRun(session, child, p.now);
    settled.push(member);
  }
  // There are more than the limit, or a run has ended since they were found. The rows are locked now.
  const left = yield* findUnneeded(session, settled, p.limit);
  const remaining = new Set(left.map(({ childOf }) => childOf));
  const finished = settled.filter(({ id, isParent }) => !isParent || (left.length < p.limit && !remaining.has(id)));
  const keys = finished.map(({ key }) => key);
  yield* session.run(db.update(run).set({ settleAt: null }).where(inArray(run.key, keys)));
  session.changed("runs");
}

/** Open children that these runs no longer need. */
function* findUnneeded(
  { db, tables: { run, runStep }, rows }: StoreSession,
  runs: readonly { id: string; isParent: boolean }[],
  limit: number,
) {
  const parents = runs.flatMap(({ id, isParent }) => (isParent ? [id] : []));
  if (parents.length === 0) return [];
  const parent = aliasedTable(run, "parent");
  const isOpen = and(inArray(run.status, [...openStatuses]), isNull(run.cancelRequestedAt));
  const hasFailed = inArray(parent.status, ["failed", "canceled", "timed_out"]);
  return yield* rows(
    db
      .select({ id: run.id, childOf: run.childOf })
      .from(run)
      .innerJoin(parent, eq(parent.id, run.childOf))
      .innerJoin(runStep, and(eq(runStep.run, parent.key), eq(runStep.name, run.childStep)))
      .where(
        and(
          inArray(run.childOf, parents),
          eq(run.childLink, "call"),
          isOpen,
          or(hasFailed, isNotNull(runStep.finishedAt)),
        ),
      )
      .limit(limit),
  );
}

type Member = ReturnType<typeof lockFamily> extends Operation<(infer Row)[]> ? Row : never;

function* lockFamily({ db, tables: { run }, lockedRows }: StoreSession, ids: readonly string[]) {
  const { id, key, status, attempt, cancelRequestedAt, keySlot, finishedAt, availableAt } = run;
  const { childOf, childStep, childLink, isParent, isResuming, output, errorName, errorMessage } = run;
  const state = { id, key, status, attempt, cancelRequestedAt, keySlot, finishedAt, availableAt, isResuming };
  const columns = { ...state, childOf, childStep, childLink, isParent, output, errorName, errorMessage };
  return yield* lockedRows(
    db
      .select(columns)
      .from(run)
      .where(inArray(id, [...ids]))
      .orderBy(asc(id)),
  );
}

/** A child with its parent, and the step of the parent; `null`: it is removed. */
interface Relation {
  child: Member;
  parent: Member;
  step: CallStep | null;
}

interface CallStep {
  name: string;
  attempt: number;
  finishedAt: number | null;
  result: Json | null;
}

/** The steps of the parents among these runs, by the id of the child. */
function* readSteps(
  { db, tables: { runStep }, rows }: StoreSession,
  members: ReadonlyMap<string, Member>,
): Operation<Map<string, CallStep>> {
  const { name, attempt, finishedAt, result } = runStep;
  const steps = new Map<string, CallStep>();
  for (const [parentId, children] of Map.groupBy(members.values(), ({ childOf }) => childOf)) {
    const parent = members.get(parentId ?? "");
    if (!parent) continue;
    const names = children.flatMap(({ childStep }) => childStep ?? []);
    const found = yield* rows(
      db
        .select({ name, attempt, finishedAt, result })
        .from(runStep)
        .where(and(eq(runStep.run, parent.key), inArray(name, names))),
    );
    const byName = new Map(found.map((step) => [step.name, step]));
    for (const { id, childStep } of children) {
      const step = byName.get(childStep ?? "");
      if (step) steps.set(id, step);
    }
  }
  return steps;
}

const planOf = ({ child, parent, step }: Relation) =>
  planChild({ child: { status: child.status, link: child.childLink }, parent: { status: parent.status }, step });

/** The parent of an open child has failed, was canceled, or no longer waits for it. */
const isUnneeded = (relation: Relation): boolean => planOf(relation) === "cancel";

/** The parent gets the result of a child that has ended, and is due. */
function* deliverEnd(session: StoreSession, { now, toResult, ...relation }: SettleOrder & Relation): Operation<void> {
  const { child, parent, step } = relation;
  const { db, tables } = session;
  const { run, runStep } = tables;
  const { id: runId, status, output, errorName, errorMessage } = child;
  if (!isEndStatus(status) || planOf(relation) !== "deliver" || !step) return;
  const error = errorName === null ? null : { name: errorName, message: errorMessage ?? "" };
  const result = toResult(step.result, { runId, status, output, error }, parent.id);
  const { name } = step;
  yield* session.run(
    db
      .update(runStep)
      .set({ finishedAt: child.finishedAt ?? now, result })
      .where(and(eq(runStep.run, parent.key), eq(runStep.name, name), isNull(runStep.finishedAt))),
  );
  const data = { runId, status };
  yield* session.addEntry(parent.key, { at: now, kind: "child_finished", attempt: step.attempt, name, data });
  // A run that waits for its next attempt continues waiting.
  if (parent.status !== "waiting" || !parent.isResuming || parent.availableAt <= now) return;
  parent.availableAt = now;
  yield* session.run(db.update(run).set({ availableAt: now }).where(eq(run.key, parent.key)));
  session.notifyHosts();
}

type EndStatus = Parameters<ToChildResult>[1]["status"];

const isEndStatus = (status: Member["status"]): status is EndStatus => isEnded(status);
