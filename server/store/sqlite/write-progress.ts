import { isFinal } from "../../domain/runs/run-state.ts";
import { runStatusCodes, stepKindCodes } from "../../domain/stored-codes.ts";
import type { EngineStore } from "../../ports/store/engine-store.ts";
import type { SqliteDatabase } from "./database.ts";
import { type EndHold, type Held, setInputSql } from "./end-hold.ts";
import { prepareClearLive } from "./live.ts";
import { packedUuid } from "./packed-text.ts";
import { runId } from "./stored-forms.ts";
import type { AddEntry } from "./timeline.ts";

type Progress = Parameters<EngineStore["writeProgress"]>[0];

/** A sleep is written when it begins and again when it has ended. A finished step stays as it is. */
const saveStepSql = `
  INSERT INTO run_step (run, name, kind, attempt, started_at, finished_at, until, result)
  VALUES (@run, @name, @kind, @attempt, @startedAt, @finishedAt, @until, @result)
  ON CONFLICT (run, name) DO UPDATE SET attempt = excluded.attempt, finished_at = excluded.finished_at, until = excluded.until,
    result = excluded.result
  WHERE run_step.finished_at IS NULL`;

export function prepareWriteProgress(
  { connection, changed }: SqliteDatabase,
  p: { addEntry: AddEntry; endHold: EndHold },
): (progress: Progress) => { held: boolean; cancelRequested: boolean } {
  const findHeld = prepareFindHeld(connection);
  const saveStep = connection.prepare(saveStepSql);
  const saveInput = connection.prepare(`UPDATE run SET ${setInputSql} WHERE seq = @seq`);
  const saveSpend = connection.prepare("UPDATE run SET tokens = @tokens, cost_usd = @costUsd WHERE seq = @seq");
  const clearLive = prepareClearLive(connection);
  return ({ now, input, entries, steps = [], spend, clearsLive, transition, ...run }) => {
    const held = findHeld(run.runId, run.token);
    if (!held) return { held: false, cancelRequested: false };
    const { seq } = held;
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
    return { held: true, cancelRequested: held.cancelRequestedAt !== null };
  };
}

/** Read under the write lock, so that it stays true to the end of the transaction. */
function prepareFindHeld(connection: SqliteDatabase["connection"]): (id: string, token: string) => Held | null {
  const find = connection.prepare<unknown[], Held>(
    `SELECT seq, attempt, cancel_requested_at AS cancelRequestedAt FROM run WHERE id = ? AND token = ? AND status = ${runStatusCodes.running}`,
  );
  return (id: string, token: string) => find.get(runId.pack(id), packedUuid.pack(token)) ?? null;
}
