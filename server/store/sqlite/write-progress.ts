import { and, eq, sql } from "drizzle-orm";
import type { Json } from "../../contract/json.ts";
import type { EngineStore, StepRecord } from "../../ports/store.ts";
import type { SqliteDatabase } from "./database.ts";
import type { EndHold } from "./end-hold.ts";
import { run, runStep } from "./schema.ts";
import type { AddEntry } from "./timeline.ts";

type Progress = Parameters<EngineStore["writeProgress"]>[0];

export function prepareWriteProgress(database: SqliteDatabase, p: { addEntry: AddEntry; endHold: EndHold }): (progress: Progress) => { held: boolean; cancelRequested: boolean } {
  const findHeld = prepareFindHeld(database);
  const saveStep = prepareSaveStep(database);
  const saveInput = prepareSaveInput(database);
  return ({ runId, token, now, input, entries, steps = [], transition }) => {
    const held = findHeld(runId, token);
    if (!held) return { held: false, cancelRequested: false };
    for (const entry of entries) p.addEntry(runId, entry);
    for (const step of steps) saveStep(runId, step);
    if (input !== undefined) saveInput(runId, token, input);
    if (transition) p.endHold(held, transition, now);
    return { held: true, cancelRequested: held.cancelRequestedAt !== null };
  };
}

/** Read under the write lock, so that it stays true to the end of the transaction. */
function prepareFindHeld({ db }: SqliteDatabase) {
  const find = db
    .select({ attempt: run.attempt, cancelRequestedAt: run.cancelRequestedAt })
    .from(run)
    .where(and(eq(run.id, sql.placeholder("id")), eq(run.token, sql.placeholder("token")), eq(run.status, "running")))
    .prepare();
  return (id: string, token: string) => {
    const row = find.get({ id, token });
    return row ? { id, token, ...row } : null;
  };
}

/** A sleep is written when it begins and again when it is over. What is finished stays as it is. */
function prepareSaveStep({ db }: SqliteDatabase): (runId: string, step: StepRecord) => void {
  const upsert = db
    .insert(runStep)
    .values({
      runId: sql.placeholder("runId"),
      name: sql.placeholder("name"),
      kind: sql.placeholder("kind"),
      attempt: sql.placeholder("attempt"),
      startedAt: sql.placeholder("startedAt"),
      finishedAt: sql.placeholder("finishedAt"),
      until: sql.placeholder("until"),
      result: sql.placeholder("result"),
    })
    .onConflictDoUpdate({
      target: [runStep.runId, runStep.name],
      set: { attempt: sql`excluded.attempt`, finishedAt: sql`excluded.finished_at`, until: sql`excluded.until`, result: sql`excluded.result` },
      setWhere: sql`run_step.finished_at IS NULL`,
    })
    .prepare();
  return (runId, step) => {
    upsert.run({ runId, ...step });
  };
}

function prepareSaveInput({ db }: SqliteDatabase): (id: string, token: string, input: Json) => void {
  const update = db
    .update(run)
    .set({ input: sql`${sql.param(sql.placeholder("input"), run.input)}` })
    .where(and(eq(run.id, sql.placeholder("id")), eq(run.token, sql.placeholder("token")), eq(run.status, "running")))
    .prepare();
  return (id, token, input) => {
    update.run({ id, token, input });
  };
}
