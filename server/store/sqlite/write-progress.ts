import { and, eq, sql } from "drizzle-orm";
import { z } from "zod";
import type { Json } from "../../contract/json.ts";
import type { ProgressResult, RunProgress, Spend, StepRecord } from "../../ports/store/engine-store.ts";
import { type SqliteDatabase, given } from "./database.ts";
import type { EndHold } from "./end-hold.ts";
import { prepareClearLive } from "./live.ts";
import { prepareStatement } from "./prepare-statement.ts";
import { run, runStep } from "./schema.ts";
import type { AddEntry } from "./timeline.ts";

export function prepareWriteProgress(
  database: SqliteDatabase,
  p: { addEntry: AddEntry; endHold: EndHold },
): (progress: RunProgress) => ProgressResult {
  const find = prepareFind(database);
  const saveStep = prepareSaveStep(database);
  const saveInput = prepareSaveInput(database);
  const saveSpend = prepareSaveSpend(database);
  const clearLive = prepareClearLive(database.connection);
  const saveSeq = prepareSaveSeq(database);
  return ({ runId, token, now, input, entries, steps = [], spend, clearsLive, transition, ...progress }) => {
    const found = find(runId, token);
    if (!found) return { held: false, cancelRequested: false };
    const { isRunning, progressSeq, cancelRequestedAt } = found;
    const { seq = progressSeq + 1 } = progress;
    if (seq <= progressSeq) return { held: true, cancelRequested: cancelRequestedAt !== null };
    if (!isRunning) return { held: false, cancelRequested: false };
    const held = { ...found, seq };
    for (const entry of entries) p.addEntry(runId, entry);
    for (const step of steps) saveStep(runId, step);
    if (input !== undefined) saveInput({ id: runId, token, input });
    if (spend) saveSpend({ id: runId, token, spend });
    if (clearsLive) clearLive(runId);
    if (transition) p.endHold(held, transition, now);
    else saveSeq({ id: runId, token, seq });
    return { held: true, cancelRequested: held.cancelRequestedAt !== null };
  };
}

/** Read under the write lock, so that it stays true to the end of the transaction. */
function prepareFind({ db, connection }: SqliteDatabase) {
  const query = db
    .select({
      status: run.status,
      attempt: run.attempt,
      cancelRequestedAt: run.cancelRequestedAt,
      progressSeq: run.progressSeq,
    })
    .from(run)
    .where(and(eq(run.id, sql.placeholder("id")), eq(run.token, sql.placeholder("token"))));
  const find = prepareStatement(connection, query);
  return (id: string, token: string) => {
    const row = find.get({ id, token });
    if (row === undefined) return null;
    const [status, attempt, cancelRequestedAt, progressSeq] = foundRow.parse(row);
    return { id, token, isRunning: status === "running", attempt, cancelRequestedAt, progressSeq };
  };
}

const foundRow = z.tuple([z.string(), z.number(), z.number().nullable(), z.number()]);

function prepareSaveSeq({ db, connection }: SqliteDatabase): (p: { id: string; token: string; seq: number }) => void {
  const query = db
    .update(run)
    .set({ progressSeq: given("seq") })
    .where(and(eq(run.id, sql.placeholder("id")), eq(run.token, sql.placeholder("token")), eq(run.status, "running")));
  const save = prepareStatement(connection, query);
  return (held) => {
    save.run(held);
  };
}

/** A sleep is written when it begins and again when it is over. What is finished stays as it is. */
function prepareSaveStep({ db, connection }: SqliteDatabase): (runId: string, step: StepRecord) => void {
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
      set: {
        attempt: sql`excluded.attempt`,
        finishedAt: sql`excluded.finished_at`,
        until: sql`excluded.until`,
        result: sql`excluded.result`,
      },
      setWhere: sql`run_step.finished_at IS NULL`,
    });
  const save = prepareStatement(connection, upsert);
  return (runId, step) => {
    save.run({ runId, ...step });
  };
}

function prepareSaveInput({ db, connection }: SqliteDatabase): (p: { id: string; token: string; input: Json }) => void {
  const query = db
    .update(run)
    .set({ input: sql`${sql.param(sql.placeholder("input"), run.input)}` })
    .where(and(eq(run.id, sql.placeholder("id")), eq(run.token, sql.placeholder("token")), eq(run.status, "running")));
  const save = prepareStatement(connection, query);
  return (held) => {
    save.run(held);
  };
}

function prepareSaveSpend({
  db,
  connection,
}: SqliteDatabase): (p: { id: string; token: string; spend: Spend }) => void {
  const query = db
    .update(run)
    .set({ tokens: given("tokens"), costUsd: given("costUsd") })
    .where(and(eq(run.id, sql.placeholder("id")), eq(run.token, sql.placeholder("token")), eq(run.status, "running")));
  const save = prepareStatement(connection, query);
  return ({ spend, ...held }) => {
    save.run({ ...held, ...spend });
  };
}
