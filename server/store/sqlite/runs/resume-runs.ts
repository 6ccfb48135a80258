import { targetName } from "../../../contract/project/target.ts";
import { eq } from "drizzle-orm";
import type { Packed } from "../../../domain/ids.ts";
import { notDueAt, type RunSlot } from "../../../domain/runs/key-slots.ts";
import { findReplayObstacle, planResume } from "../../../domain/runs/resume.ts";
import type { NewRun } from "../../../ports/store/new-run.ts";
import type { LeftRun, NotResumed, RunStore, RunToResume } from "../../../ports/store/run-store.ts";
import { reportEndsAgain } from "../../core/child-runs.ts";
import type { StoreSession } from "../../core/store-database.ts";
import { runSync } from "../../shared/operation.ts";
import type { SqliteDatabase } from "../database.ts";
import type { QueueCapacity } from "./insert-run.ts";
import type { KeySlots } from "./key-slots.ts";
import { replayOfSql } from "../lists/list-runs.ts";
import { run } from "../schema.ts";
import { runId } from "../stored-forms.ts";
import { type AddEntry, impliedFacts, writeOutEnd } from "./timeline.ts";

type Resume = RunStore["resumeRuns"];

/** The write transaction excludes all other writers, so its reads stay valid. */
export function prepareResumeRuns(
  database: SqliteDatabase,
  p: { capacity: QueueCapacity; addEntry: AddEntry; keySlots: KeySlots; session: StoreSession },
): (...p: Parameters<Resume>) => Awaited<ReturnType<Resume>> {
  const { db, names, changed } = database;
  const { capacity, addEntry, keySlots } = p;
  const findReplay = prepareFindReplay(database);

  function resume(one: RunToResume, now: number): NotResumed | null {
    const { id, target, version } = one;
    const facts = db.select(resumeFacts).from(run).where(eq(run.id, id)).get();
    if (!facts) return { obstacle: "missing" };
    const plan = planResume({ ...facts, replayedAs: findReplay(id) }, { ...one, now });
    if (plan.obstacle) return { obstacle: plan.obstacle };
    const queue = capacity.findFull([one]);
    if (queue) return { queue };
    changed("runs");
    const { seq } = facts;
    const written = writeOutEnd(database, { facts, addEntry });
    db.update(run)
      .set({ ...plan.change, ...written, ...slotOf(facts, one, now), version: names.idOf(version) })
      .where(eq(run.seq, seq))
      .run();
    addEntry(seq, plan.entry);
    if (facts.isParent) runSync(reportEndsAgain(p.session, { parent: id, now }));
    capacity.added(targetName(target));
    return null;
  }

  /** A run that blocks its key keeps its slot. */
  function slotOf(
    facts: { key: string | null } & RunSlot & { failureOf: string | null },
    one: RunToResume,
    now: number,
  ) {
    if (facts.keySlot !== null) return {};
    const slot = keySlots.slotOf({ ...one, key: facts.key, failureOf: facts.failureOf, createdAt: now });
    return { ...slot, ...(slot.keySlot === "waiting" && { availableAt: notDueAt }) };
  }

  return (runs, now) => runs.map((one) => resume(one, now));
}

const resumeFacts = {
  ...impliedFacts,
  key: run.runKey,
  failureOf: run.failureOf,
  keySlot: run.keySlot,
  keyOrder: run.keyOrder,
  isParent: run.isParent,
};

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
