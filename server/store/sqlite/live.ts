import type { EngineStore, LiveRecord } from "../../ports/store/engine-store.ts";
import type { Connection } from "./open-connection.ts";

type SaveRequest = Parameters<EngineStore["saveLive"]>[0];

const saveSql = `
  INSERT INTO run_live (run_id, token, step, attempt, started_at, updated_at, revision, said)
  SELECT id, token, @step, @attempt, @startedAt, @now, 1, @said FROM run WHERE id = @runId AND token = @token AND status = 'running'
  ON CONFLICT (run_id) DO UPDATE SET token = excluded.token, step = excluded.step, attempt = excluded.attempt, started_at = excluded.started_at,
    updated_at = excluded.updated_at, revision = run_live.revision + 1, said = excluded.said`;

/** What somebody else wrote who held the run before is not shown. */
const getSql = `
  SELECT step, run_live.attempt, run_live.started_at AS startedAt, updated_at AS updatedAt, said
  FROM run_live JOIN run ON run.id = run_live.run_id AND run.token = run_live.token WHERE run_id = ? AND status = 'running'`;

interface LiveRow extends Omit<LiveRecord, "said"> {
  said: string;
}

export function prepareLive(connection: Connection) {
  const save = connection.prepare(saveSql);
  const get = connection.prepare<unknown[], LiveRow>(getSql);
  return {
    save: ({ said, ...request }: SaveRequest) => ({
      held: save.run({ ...request, said: JSON.stringify(said) }).changes === 1,
    }),
    get(runId: string): LiveRecord | null {
      const row = get.get(runId);
      return row ? { ...row, said: JSON.parse(row.said) } : null;
    },
  };
}

export function prepareClearLive(connection: Connection): (runId: string) => void {
  const clear = connection.prepare("DELETE FROM run_live WHERE run_id = ?");
  return (runId) => {
    clear.run(runId);
  };
}

/** A handful of rows. Whatever takes one away adds to a timeline, too. */
export function prepareLiveMark(connection: Connection): () => string {
  const mark = connection.prepare("SELECT count(*) AS speaking, sum(revision) AS said FROM run_live");
  return () => JSON.stringify(mark.get());
}
