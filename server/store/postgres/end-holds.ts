import { resolveTransition } from "../../domain/runs/run-state.ts";
import type { RunTransition } from "../../ports/store/engine-store.ts";
import { toIsolatedQueue } from "./queue/queue-names.ts";
import type { NewJob, RunJobs } from "./queue/run-jobs.ts";
import type { Session } from "./session.ts";
import type { EntryOfRun } from "./timeline.ts";

/** A running run whose row is locked. */
export interface Held {
  id: string;
  token: string;
  attempt: number;
  cancelRequestedAt: number | null;
  /** The queue with its job. */
  queue: string;
  /** The number of the worker's write that ends its hold; absent: the run is taken from its worker. */
  seq?: number;
}

export interface Ending {
  held: Held;
  transition: RunTransition;
  now: number;
  /** It must be alone in its next process. */
  isIsolated?: boolean;
}

/** The resolved transition (see resolveTransition), with its timeline entry. */
export function decideEnding({ held, transition: asked, now, ...rest }: Ending): {
  ending: Ending;
  entries: EntryOfRun[];
} {
  const transition = resolveTransition(asked, { isCancelRequested: held.cancelRequestedAt !== null });
  const canceled = { runId: held.id, entry: { at: now, kind: "canceled" as const, attempt: held.attempt } };
  return { ending: { ...rest, held, transition, now }, entries: transition === asked ? [] : [canceled] };
}

/**
 * A run that is queued again keeps its position in the order. A worker whose acknowledgement was lost sends its last
 * write again: the token and the number show that it was written.
 */
const endHoldsSql = `
  UPDATE run SET token = CASE WHEN e.seq IS NULL THEN NULL ELSE run.token END, progress_seq = coalesce(e.seq, 0), worker_id = NULL, job_queue = e.job_queue, status = e.status,
    available_at = coalesce(e.available_at, run.available_at), is_resuming = coalesce(e.is_resuming, run.is_resuming), finished_at = e.finished_at,
    error_name = e.error_name, error_message = e.error_message, error_stack = e.error_stack, output = e.output
  FROM unnest($1::text[], $2::text[], $3::integer[], $4::text[], $5::text[], $6::bigint[], $7::boolean[], $8::bigint[], $9::text[], $10::text[], $11::text[], $12::text[])
    AS e (id, token, seq, job_queue, status, available_at, is_resuming, finished_at, error_name, error_message, error_stack, output)
  WHERE run.id = e.id AND run.token = e.token AND run.status = 'running'`;

/** Takes runs out of `running`, each once, and ends their jobs. A run that continues later gets a new job. */
export async function endHolds(session: Session, jobs: RunJobs, endings: readonly Ending[]): Promise<void> {
  if (endings.length === 0) return;
  const next = endings.map(nextJob);
  const rows = endings.map(({ held: { id, token, seq }, transition, now }, at) => [
    id,
    token,
    seq ?? null,
    next[at]?.queue ?? null,
    ...valuesOf(transition, now),
  ]);
  const columns = Array.from({ length: 12 }, (_, column) => rows.map((row) => row[column] ?? null));
  const changes = await session.change(endHoldsSql, columns);
  // The rows are locked: any other number is a defect and rolls back.
  if (changes !== endings.length)
    throw new Error(
      `${changes} rows changed instead of ${endings.length}: ${endings.map(({ held }) => held.id).join(", ")} were to leave running`,
    );
  await jobs.end(
    session,
    endings.map(({ held: { id, queue } }) => ({ runId: id, queue })),
  );
  await jobs.add(
    session,
    next.filter((job) => job !== null),
  );
}

/** `null`: the run has ended. */
function nextJob({ held: { id, queue }, transition, isIsolated }: Ending): NewJob | null {
  if (transition.to !== "waiting" && transition.to !== "queued") return null;
  return {
    runId: id,
    queue: isIsolated ? toIsolatedQueue(queue) : queue,
    state: transition.to === "waiting" ? { kind: "waiting", until: transition.availableAt } : { kind: "interrupted" },
  };
}

/** From `status` on. */
function valuesOf(transition: RunTransition, now: number): (string | number | boolean | null)[] {
  if (transition.to === "waiting")
    return ["waiting", Math.round(transition.availableAt), transition.reason === "sleep"];
  if (transition.to === "queued") return ["queued", null, true];
  if (transition.to === "completed")
    return [
      "completed",
      null,
      null,
      now,
      null,
      null,
      null,
      transition.output === null ? null : JSON.stringify(transition.output),
    ];
  const { error } = transition;
  return [transition.to, null, null, now, error?.name ?? null, error?.message ?? null, error?.stack ?? null, null];
}
