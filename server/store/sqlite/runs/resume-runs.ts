import { targetName } from "../../../contract/project/target.ts";
import { eq, sql } from "drizzle-orm";
import type { Packed } from "../../../domain/ids.ts";
import { findReplayObstacle, planResume } from "../../../domain/runs/resume.ts";
import type { LeftRun, NewRun, NotResumed, RunStore, RunToResume } from "../../../ports/store/run-store.ts";
import type { RunEventRow } from "../../shared/timeline-shapes.ts";
import type { SqliteDatabase } from "../database.ts";
import type { QueueCapacity } from "./insert-run.ts";
import { replayOfSql } from "../lists/list-runs.ts";
import { run } from "../schema.ts";
import { runId } from "../stored-forms.ts";
import { type AddEntry, implied, impliedEntries, impliedFacts, lastPosition } from "./timeline.ts";

type Resume = RunStore["resumeRuns"];

/** The write transaction excludes all other writers, so its reads stay valid. */
export function prepareResumeRuns(
  database: SqliteDatabase,
  { capacity, addEntry }: { capacity: QueueCapacity; addEntry: AddEntry },
): (...p: Parameters<Resume>) => Awaited<ReturnType<Resume>> {
  const { db, names, changed } = database;
  const findReplay = prepareFindReplay(database);

  function resume(one: RunToResume, now: number): NotResumed | null {
    const { id, target, version } = one;
    const facts = db.select(impliedFacts).from(run).where(eq(run.id, id)).get();
    if (!facts) return { obstacle: "missing" };
    const plan = planResume({ ...facts, replayedAs: findReplay(id) }, { ...one, now });
    if (plan.obstacle) return { obstacle: plan.obstacle };
    const queue = capacity.findFull([one]);
    if (queue) return { queue };
    changed("runs");
    const { seq } = facts;
    for (const end of impliedEntries(facts, lastPosition({ db }, seq)).end) addEntry(seq, toNewEntry(end));
    const noEnd = { impliedEntries: sql`${run.impliedEntries} & ~${implied.ended}`, durationMs: null };
    db.update(run)
      .set({ ...plan.change, ...noEnd, version: names.idOf(version) })
      .where(eq(run.seq, seq))
      .run();
    addEntry(seq, plan.entry);
    capacity.added(targetName(target));
    return null;
  }

  return (runs, now) => runs.map((one) => resume(one, now));
}

/** The end of the run is no longer implied by its columns. */
function toNewEntry({ at, kind, attempt, durationMs, error }: RunEventRow) {
  return { at, kind, attempt, ...(durationMs === null ? {} : { durationMs }), ...(error === null ? {} : { error }) };
}

/** Why a run that is the only replay of its run cannot be recorded; `null`: it can. */
export function prepareFindObstacle(database: SqliteDatabase): (newRun: NewRun) => LeftRun | null {
  const findReplay = prepareFindReplay(database);
  return ({ id, replayOf, isOnlyReplay }) => {
    if (!isOnlyReplay || replayOf === null) return null;
    const old = database.db.select({ status: run.status }).from(run).where(eq(run.id, replayOf)).get();
    const obstacle = old ? findReplayObstacle({ ...old, replayedAs: findReplay(replayOf) }) : "missing";
    return obstacle && { id, obstacle };
  };
}

function prepareFindReplay({ connection }: SqliteDatabase): (id: string) => string | null {
  const find = connection.prepare<unknown[], Packed>(replayOfSql("?")).pluck();
  return (id) => {
    const found = find.get(runId.pack(id));
    return found === undefined ? null : runId.unpack(found);
  };
}
