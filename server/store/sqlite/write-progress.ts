import { isFinal } from "../../domain/runs/run-state.ts";
import { runStatusCodes, stepKindCodes } from "../../domain/stored-codes.ts";
import type { ProgressResult, RunProgress } from "../../ports/store/engine-store.ts";
import type { SqliteDatabase } from "./database.ts";
import { type EndHold, type Held, setInputSql } from "./end-hold.ts";
import { prepareClearLive } from "./live.ts";
import { packedUuid } from "./packed-text.ts";
import { runId } from "./stored-forms.ts";
import type { AddEntry } from "./timeline.ts";

/** A sleep is written when it starts and again when it ends. A finished step does not change. */
const saveStepSql = `
  INSERT INTO run_step (run, name, kind, attempt, started_at, finished_at, until, result)
  VALUES (@run, @name, @kind, @attempt, @startedAt, @finishedAt, @until, @result)
  ON CONFLICT (run, name) DO UPDATE SET attempt = excluded.attempt, finished_at = excluded.finished_at, until = excluded.until,
    result = excluded.result
  WHERE run_step.finished_at IS NULL`;

export function prepareWriteProgress(
  { connection, changed }: SqliteDatabase,
  p: { addEntry: AddEntry; endHold: EndHold },
): (progress: RunProgress) => ProgressResult {
  const find = prepareFind(connection);
  const saveStep = connection.prepare(saveStepSql);
  const saveInput = connection.prepare(`UPDATE run SET ${setInputSql} WHERE seq = @seq`);
  const saveSpend = connection.prepare("UPDATE run SET tokens = @tokens, cost_usd = @costUsd WHERE seq = @seq");
  const clearLive = prepareClearLive(connection);
  const saveProgressSeq = connection.prepare("UPDATE run SET progress_seq = @progressSeq WHERE seq = @seq");
  return ({ now, input, entries, steps = [], spend, clearsLive, transition, ...progress }) => {
    const found = find(progress.runId, progress.token);
    if (!found) return { held: false, cancelRequested: false };
    const { seq, status, attempt, cancelRequestedAt } = found;
    const progressSeq = progress.seq ?? found.progressSeq + 1;
    if (progressSeq <= found.progressSeq) return { held: true, cancelRequested: cancelRequestedAt !== null };
    if (status !== runStatusCodes.running) return { held: false, cancelRequested: false };
    const held: Held = { seq, attempt, cancelRequestedAt, progressSeq };
    changed();
    if (!transition) for (const entry of entries) p.addEntry(seq, entry);
    for (const { kind, result, ...step } of steps)
      saveStep.run({
        ...step,
        run: seq,
        kind: stepKindCodes[kind],
        result: result === null ? null : JSON.stringify(result),
      });
    const endsRun = transition !== undefined && isFinal(transition.to);
    if (input !== undefined && !endsRun) saveInput.run({ seq, input: input === null ? null : JSON.stringify(input) });
    if (spend) saveSpend.run({ seq, ...spend });
    if (clearsLive) clearLive(seq);
    if (transition) p.endHold(held, { transition, now, entries, input: endsRun ? input : undefined });
    else saveProgressSeq.run({ seq, progressSeq });
    return { held: true, cancelRequested: held.cancelRequestedAt !== null };
  };
}

interface Found {
  seq: number;
  status: number;
  attempt: number;
  cancelRequestedAt: number | null;
  progressSeq: number;
}

/** Read in the write transaction, so it stays valid until its end. */
function prepareFind(connection: SqliteDatabase["connection"]): (id: string, token: string) => Found | null {
  const find = connection.prepare<unknown[], Found>(
    "SELECT seq, status, attempt, cancel_requested_at AS cancelRequestedAt, progress_seq AS progressSeq FROM run WHERE id = ? AND token = ?",
  );
  return (id: string, token: string) => find.get(runId.pack(id), packedUuid.pack(token)) ?? null;
}
