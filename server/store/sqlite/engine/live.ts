import { runStatusCodes } from "../../../domain/stored-codes.ts";
import type { EngineStore, LiveRecord } from "../../../ports/store/engine-store.ts";
import type { Connection } from "../file/open-connection.ts";
import { packedUuid } from "../../../domain/ids.ts";
import { runId } from "../stored-forms.ts";

type SaveRequest = Parameters<EngineStore["saveLive"]>[0];

const isRunning = `status = ${runStatusCodes.running}`;

const saveSql = `
  INSERT INTO run_live (run, token, step, attempt, started_at, updated_at, revision, said)
  SELECT seq, token, @step, @attempt, @startedAt, @now, 1, @said FROM run WHERE id = @id AND token = @token AND ${isRunning}
  ON CONFLICT (run) DO UPDATE SET token = excluded.token, step = excluded.step, attempt = excluded.attempt, started_at = excluded.started_at,
    updated_at = excluded.updated_at, revision = run_live.revision + 1, said = excluded.said`;

/** Output under an earlier claim is not shown. */
const getSql = `
  SELECT step, run_live.attempt, run_live.started_at AS startedAt, updated_at AS updatedAt, said
  FROM run JOIN run_live ON run_live.run = run.seq AND run_live.token = run.token WHERE run.id = ? AND ${isRunning}`;

interface LiveRow extends Omit<LiveRecord, "said"> {
  said: string;
}

export function prepareLive(connection: Connection) {
  const save = connection.prepare(saveSql);
  const get = connection.prepare<unknown[], LiveRow>(getSql);
  return {
    save: ({ said, runId: id, token, ...request }: SaveRequest) => ({
      held:
        save.run({ ...request, id: runId.pack(id), token: packedUuid.pack(token), said: JSON.stringify(said) })
          .changes === 1,
    }),
    get(id: string): LiveRecord | null {
      const row = get.get(runId.pack(id));
      return row ? { ...row, said: JSON.parse(row.said) } : null;
    },
  };
}

export function prepareClearLive(connection: Connection): (runSeq: number) => void {
  const clear = connection.prepare("DELETE FROM run_live WHERE run = ?");
  return (runSeq) => {
    clear.run(runSeq);
  };
}

/** Reads a few rows. An operation that removes one of them also changes its run. */
export function prepareLiveMark(connection: Connection): () => string {
  const mark = connection.prepare("SELECT count(*) AS speaking, sum(revision) AS said FROM run_live");
  return () => JSON.stringify(mark.get());
}
