import type { EngineStore, LiveRecord } from "../../../ports/store/engine-store.ts";
import type { Session } from "../connection/session.ts";
import { isStillRunning } from "./held-runs.ts";
import { looksUp } from "../statements/look-up.ts";

export type LiveRequest = Parameters<EngineStore["saveLive"]>[0];

/** Locks the runs: an operation that takes a run from its worker waits, and then clears its live output. */
const saveSql = `
  WITH held AS (
    SELECT run.id, s.* FROM signalbox.run JOIN unnest($1::text[], $2::text[], $3::text[], $4::integer[], $5::bigint[], $6::bigint[], $7::text[]) AS s (run_id, token, step, attempt, started_at, updated_at, said)
      ON ${looksUp("run.id", "s.run_id")} AND run.token = s.token
    WHERE ${isStillRunning} ORDER BY s.run_id FOR NO KEY UPDATE OF run
  )
  INSERT INTO signalbox.run_live (run_id, token, step, attempt, started_at, updated_at, revision, said)
  SELECT run_id, token, step, attempt, started_at, updated_at, 1, said FROM held
  ON CONFLICT (run_id) DO UPDATE SET token = excluded.token, step = excluded.step, attempt = excluded.attempt, started_at = excluded.started_at,
    updated_at = excluded.updated_at, revision = run_live.revision + 1, said = excluded.said
  RETURNING run_id AS id`;

/** Saves the live output of several runs. Each run occurs once. */
export async function saveLives(session: Session, all: readonly LiveRequest[]): Promise<{ held: boolean }[]> {
  const column = <Value>(read: (one: LiveRequest) => Value) => all.map(read);
  const values = [
    column((p) => p.runId),
    column((p) => p.token),
    column((p) => p.step),
    column((p) => p.attempt),
    column((p) => p.startedAt),
    column((p) => p.now),
    column((p) => JSON.stringify(p.said)),
  ];
  const held = new Set((await session.rows<{ id: string }>(saveSql, values)).map(({ id }) => id));
  return all.map(({ runId }) => ({ held: held.has(runId) }));
}

/** Output under an earlier claim is not shown. */
const getSql = `
  SELECT step, run_live.attempt, run_live.started_at AS "startedAt", updated_at AS "updatedAt", said
  FROM signalbox.run_live JOIN signalbox.run ON run.id = run_live.run_id AND run.token = run_live.token WHERE run_id = $1 AND status = 'running'`;

export async function getLive(session: Session, runId: string): Promise<LiveRecord | null> {
  const [row] = await session.rows<Omit<LiveRecord, "said"> & { said: string }>(getSql, [runId]);
  return row ? { ...row, said: JSON.parse(row.said) } : null;
}

export async function clearLives(session: Session, runIds: readonly string[]): Promise<void> {
  if (runIds.length > 0)
    await session.change("DELETE FROM signalbox.run_live WHERE run_id = ANY($1::text[])", [runIds]);
}

/** Reads a few rows. An operation that removes one of them also adds to a timeline. */
export async function readLiveMark(session: Session): Promise<string> {
  return JSON.stringify(
    await session.rows("SELECT count(*) AS speaking, sum(revision)::bigint AS said FROM signalbox.run_live"),
  );
}
