import type { EngineStore, StepRecord } from "../../ports/store/engine-store.ts";
import { decideEnding, endHolds, type Held } from "./end-holds.ts";
import { insertRows } from "./insert-rows.ts";
import { clearLives } from "./live.ts";
import { runStep } from "./schema.ts";
import type { Session } from "./session.ts";
import { addEntries } from "./timeline.ts";

export type Progress = Parameters<EngineStore["writeProgress"]>[0];
type ProgressAnswer = Awaited<ReturnType<EngineStore["writeProgress"]>>;

const lockHeldSql = `
  SELECT id, token, attempt, cancel_requested_at AS "cancelRequestedAt" FROM run
  WHERE id = ANY($1::text[]) AND status = 'running' AND token IS NOT NULL ORDER BY id FOR NO KEY UPDATE`;

/** What many runs did, with no more statements than for one. Each run is among them once. */
export async function writeProgress(session: Session, all: readonly Progress[]): Promise<ProgressAnswer[]> {
  const locked = await session.rows<Held>(lockHeldSql, [all.map(({ runId }) => runId)]);
  const heldRuns = new Map(locked.map((held) => [`${held.id} ${held.token}`, held]));
  const held = all.flatMap((progress) => {
    const mine = heldRuns.get(`${progress.runId} ${progress.token}`);
    return mine ? [{ progress, held: mine }] : [];
  });
  const decided = held.map((one) => ({
    ...one,
    end:
      one.progress.transition &&
      decideEnding({ held: one.held, transition: one.progress.transition, now: one.progress.now }),
  }));
  await addEntries(
    session,
    decided.flatMap(({ progress: { runId, entries }, end }) => [
      ...entries.map((entry) => ({ runId, entry })),
      ...(end?.entries ?? []),
    ]),
  );
  await saveSteps(
    session,
    held.flatMap(({ progress: { runId, steps = [] } }) => steps.map((step) => ({ runId, ...step }))),
  );
  await saveInputs(
    session,
    held.map(({ progress }) => progress),
  );
  await clearLives(
    session,
    held.flatMap(({ progress: { runId, clearsLive } }) => (clearsLive ? [runId] : [])),
  );
  await saveSpends(
    session,
    held.map(({ progress }) => progress),
  );
  await endHolds(
    session,
    decided.flatMap(({ end }) => (end ? [end.ending] : [])),
  );
  return all.map(({ runId, token }) => {
    const mine = heldRuns.get(`${runId} ${token}`);
    return { held: mine !== undefined, cancelRequested: mine !== undefined && mine.cancelRequestedAt !== null };
  });
}

type StepRow = StepRecord & { runId: string };

const laterStateSql = `
  ON CONFLICT (run_id, name) DO UPDATE SET attempt = excluded.attempt, finished_at = excluded.finished_at, until = excluded.until, result = excluded.result
  WHERE run_step.finished_at IS NULL`;

/** A sleep is written when it begins and again when it is over. What is finished stays as it is. */
async function saveSteps(session: Session, steps: readonly StepRow[]): Promise<void> {
  await insertRows(session, runStep, mergeSteps(steps), { conflict: laterStateSql });
}

/** One statement takes each step once. */
function mergeSteps(steps: readonly StepRow[]): StepRow[] {
  const merged = new Map<string, StepRow>();
  for (const step of steps) {
    const name = JSON.stringify([step.runId, step.name]);
    const before = merged.get(name);
    if (!before) merged.set(name, step);
    else if (before.finishedAt === null) merged.set(name, { ...step, kind: before.kind, startedAt: before.startedAt });
  }
  return [...merged.values()];
}

async function saveInputs(session: Session, all: readonly Progress[]): Promise<void> {
  const given = all.flatMap(({ runId, input }) =>
    input === undefined ? [] : [{ runId, input: input === null ? null : JSON.stringify(input) }],
  );
  if (given.length === 0) return;
  await session.change(
    "UPDATE run SET input = i.input FROM unnest($1::text[], $2::text[]) AS i (id, input) WHERE run.id = i.id",
    [given.map(({ runId }) => runId), given.map(({ input }) => input)],
  );
}

const saveSpendsSql =
  "UPDATE run SET tokens = s.tokens, cost_usd = s.cost_usd FROM unnest($1::text[], $2::bigint[], $3::double precision[]) AS s (id, tokens, cost_usd) WHERE run.id = s.id";

async function saveSpends(session: Session, all: readonly Progress[]): Promise<void> {
  const given = all.flatMap(({ runId, spend }) => (spend ? [{ runId, ...spend }] : []));
  if (given.length === 0) return;
  await session.change(saveSpendsSql, [
    given.map(({ runId }) => runId),
    given.map(({ tokens }) => tokens),
    given.map(({ costUsd }) => costUsd),
  ]);
}
