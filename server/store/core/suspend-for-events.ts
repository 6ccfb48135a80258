import { and, asc, eq, isNotNull, isNull } from "drizzle-orm";
import { keyOfWait, pathsOf, planWait } from "../../domain/runs/event-waits.ts";
import type { EventWait } from "../../ports/store/engine-store.ts";
import type { Operation } from "../shared/operation.ts";
import type { RowKey } from "./column-types.ts";
import type { StoreSession } from "./store-database.ts";

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
