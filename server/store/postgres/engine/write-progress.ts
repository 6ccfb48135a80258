import type { Json } from "../../../contract/json.ts";
import type { ConcurrencyLimits } from "../../../domain/runs/run-limits.ts";
import type { ProgressResult, RunProgress as Progress, StepRecord } from "../../../ports/store/engine-store.ts";
import { decideEnding, endHolds, type Held, heldColumnsSql } from "./end-holds.ts";
import { startChildren, suspendForChildren } from "../../core/child-runs.ts";
import { closeWaits, suspendForEvents } from "../../core/suspend-for-events.ts";
import type { StoreSession } from "../../core/store-database.ts";
import { runAsync } from "../../shared/operation.ts";
import { lockNewWaits } from "../deliveries/wait-locks.ts";
import type { WaitPaths } from "../deliveries/wait-paths.ts";
import { insertRows } from "../statements/insert-rows.ts";
import { clearLives } from "./live.ts";
import { runStep } from "../schema.ts";
import type { Session } from "../connection/session.ts";
import { looksUp } from "../statements/look-up.ts";

interface Found extends Held {
  isRunning: boolean;
  progressSeq: number;
}

const lockSql = `
  SELECT ${heldColumnsSql}, status = 'running' AS "isRunning", progress_seq AS "progressSeq" FROM signalbox.run
  WHERE id = ANY($1::text[]) AND token = ANY($2::text[]) ORDER BY id FOR NO KEY UPDATE`;

/** Writes the progress of many runs with as many statements as for one. Each run occurs once. */
export async function writeProgress(
  session: Session,
  all: readonly Progress[],
  { limits, ...waiting }: { limits: ConcurrencyLimits } & EventWaitParts,
): Promise<ProgressResult[]> {
  const locked = await session.rows<Found>(lockSql, [all.map(({ runId }) => runId), all.map(({ token }) => token)]);
  const found = new Map(locked.map((row) => [`${row.id} ${row.token}`, row]));
  const held = all.flatMap((progress) => {
    const mine = found.get(`${progress.runId} ${progress.token}`);
    if (!mine?.isRunning) return [];
    const { seq = mine.progressSeq + 1 } = progress;
    return seq > mine.progressSeq ? [{ progress, held: { ...mine, seq } }] : [];
  });
  const written = new Set(held.map(({ progress }) => progress));
  const decided = held.map((one) => ({
    ...one,
    end:
      one.progress.transition &&
      decideEnding({ held: one.held, transition: one.progress.transition, now: one.progress.now }),
  }));
  await saveSteps(
    session,
    held.flatMap(({ progress: { runId, steps = [] } }) => steps.map((step) => ({ runId, ...step }))),
  );
  await clearLives(
    session,
    held.flatMap(({ progress: { runId, clearsLive } }) => (clearsLive ? [runId] : [])),
  );
  await saveSpends(
    session,
    held.map(({ progress }) => progress),
  );
  for (const { progress } of held)
    if (progress.children)
      await runAsync(
        startChildren(waiting.toStoreSession(session), { parent: progress.runId, children: progress.children }),
      );
  await endHolds(session, {
    endings: decided.flatMap(({ progress: { input }, end }) =>
      end ? [input === undefined ? end.ending : { ...end.ending, input }] : [],
    ),
    entries: decided.flatMap(({ progress: { runId, entries }, end }) => [
      ...entries.map((entry) => ({ runId, entry })),
      ...(end?.entries ?? []),
    ]),
    limits,
  });
  await saveSeqs(
    session,
    decided.flatMap(({ progress: { input }, held: { id, seq }, end }) => (end ? [] : [{ id, seq, input }])),
  );
  await recordWaits(
    session,
    held.map(({ progress }) => progress),
    waiting,
  );
  await awaitChildren(
    session,
    held.map(({ progress }) => progress),
    waiting,
  );
  return all.map((progress) => {
    const { runId, token, seq = Infinity } = progress;
    const mine = found.get(`${runId} ${token}`);
    const isHeld = mine !== undefined && (written.has(progress) || seq <= mine.progressSeq);
    return { held: isHeld, cancelRequested: isHeld && mine.cancelRequestedAt !== null };
  });
}

export interface EventWaitParts {
  toStoreSession: (session: Session) => StoreSession;
  waitPaths: Pick<WaitPaths, "searchAt">;
}

/** Of the runs that wait for events, or no longer do. Their rows are locked. */
async function recordWaits(session: Session, all: readonly Progress[], p: EventWaitParts): Promise<void> {
  await lockNewWaits(
    session,
    all.flatMap(({ runId, waits = [] }) => waits.map((wait) => ({ ...wait, runId }))),
  );
  for (const { runId, now, transition, waits, closesWaits } of all) {
    if (closesWaits) await runAsync(closeWaits(p.toStoreSession(session), runId));
    if (!waits || transition?.to !== "waiting") continue;
    const searchAt = (source: string, paths: string) => p.waitPaths.searchAt(source, paths, now);
    const { availableAt } = transition;
    await runAsync(suspendForEvents(p.toStoreSession(session), { run: runId, waits, availableAt, now, searchAt }));
  }
}

async function awaitChildren(
  session: Session,
  all: readonly Progress[],
  p: Pick<EventWaitParts, "toStoreSession">,
): Promise<void> {
  for (const { runId, now, transition, awaitsChildren } of all) {
    if (awaitsChildren && transition?.to === "waiting")
      await runAsync(suspendForChildren(p.toStoreSession(session), { run: runId, now }));
  }
}

interface Written {
  id: string;
  seq: number;
  /** Absent: it stays as it is. */
  input: Json | undefined;
}

const saveSeqsSql = `
  UPDATE signalbox.run SET progress_seq = s.seq, input = CASE WHEN s.has_input THEN s.input ELSE run.input END
  FROM unnest($1::text[], $2::integer[], $3::boolean[], $4::text[]) AS s (id, seq, has_input, input) WHERE ${looksUp("run.id", "s.id")}`;

/** Writes the numbers of writes that end no hold, and the inputs that they record. */
async function saveSeqs(session: Session, all: readonly Written[]): Promise<void> {
  if (all.length === 0) return;
  await session.change(saveSeqsSql, [
    all.map(({ id }) => id),
    all.map(({ seq }) => seq),
    all.map(({ input }) => input !== undefined),
    all.map(({ input = null }) => (input === null ? null : JSON.stringify(input))),
  ]);
}

type StepRow = StepRecord & { runId: string };

const laterStateSql = `
  ON CONFLICT (run_id, name) DO UPDATE SET attempt = excluded.attempt, started_at = excluded.started_at, finished_at = excluded.finished_at, until = excluded.until, result = excluded.result, sequence = excluded.sequence
  WHERE run_step.finished_at IS NULL OR (run_step.sequence IS NULL AND excluded.finished_at IS NOT NULL)`;

/**
 * A sleep is written when it starts and again when it ends, and a step with retries after each try. A finished step
 * does not change after its completion has its number, and a wait that a delivery has ended stays ended.
 */
async function saveSteps(session: Session, steps: readonly StepRow[]): Promise<void> {
  await insertRows(session, runStep, mergeSteps(steps), { conflict: laterStateSql, bytesOf });
}

const bytesOf = ({ result }: { result?: unknown }): number => JSON.stringify(result ?? null).length;

/** A statement can write each step only once. */
function mergeSteps(steps: readonly StepRow[]): StepRow[] {
  const merged = new Map<string, StepRow>();
  for (const step of steps) {
    const name = JSON.stringify([step.runId, step.name]);
    const before = merged.get(name);
    if (!before) merged.set(name, step);
    else if (before.finishedAt === null || before.sequence === null) merged.set(name, { ...step, kind: before.kind });
  }
  return [...merged.values()];
}

const saveSpendsSql = `
  UPDATE signalbox.run SET tokens = s.tokens, cost_usd = s.cost_usd
  FROM unnest($1::text[], $2::bigint[], $3::double precision[]) AS s (id, tokens, cost_usd) WHERE ${looksUp("run.id", "s.id")}`;

async function saveSpends(session: Session, all: readonly Progress[]): Promise<void> {
  const given = all.flatMap(({ runId, spend }) => (spend ? [{ runId, ...spend }] : []));
  if (given.length === 0) return;
  await session.change(saveSpendsSql, [
    given.map(({ runId }) => runId),
    given.map(({ tokens }) => tokens),
    given.map(({ costUsd }) => costUsd),
  ]);
}
