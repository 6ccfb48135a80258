import { resolveTransition } from "../../domain/runs/run-state.ts";
import type { RunTransition } from "../../ports/store/engine-store.ts";
import type { Session } from "./session.ts";
import type { EntryOfRun } from "./timeline.ts";

/** A running run whose row is locked. */
export interface Held {
  id: string;
  token: string;
  attempt: number;
  cancelRequestedAt: number | null;
}

export interface Ending {
  held: Held;
  transition: RunTransition;
  now: number;
}

/** The resolved transition (see resolveTransition), with its timeline entry. */
export function decideEnding({ held, transition: asked, now }: Ending): { ending: Ending; entries: EntryOfRun[] } {
  const transition = resolveTransition(asked, { isCancelRequested: held.cancelRequestedAt !== null });
  const canceled = { runId: held.id, entry: { at: now, kind: "canceled" as const, attempt: held.attempt } };
  return { ending: { held, transition, now }, entries: transition === asked ? [] : [canceled] };
}

/** A run that is queued again keeps its position in the order. */
const endHoldsSql = `
  UPDATE run SET token = NULL, worker_id = NULL, lease_until = NULL, status = e.status,
    available_at = coalesce(e.available_at, run.available_at), is_resuming = coalesce(e.is_resuming, run.is_resuming), finished_at = e.finished_at,
    error_name = e.error_name, error_message = e.error_message, error_stack = e.error_stack, output = e.output
  FROM unnest($1::text[], $2::text[], $3::text[], $4::bigint[], $5::boolean[], $6::bigint[], $7::text[], $8::text[], $9::text[], $10::text[])
    AS e (id, token, status, available_at, is_resuming, finished_at, error_name, error_message, error_stack, output)
  WHERE run.id = e.id AND run.token = e.token AND run.status = 'running'`;

/** Takes runs out of `running`, each once. */
export async function endHolds(session: Session, endings: readonly Ending[]): Promise<void> {
  if (endings.length === 0) return;
  const rows = endings.map(({ held: { id, token }, transition, now }) => [id, token, ...valuesOf(transition, now)]);
  const columns = Array.from({ length: 10 }, (_, column) => rows.map((row) => row[column] ?? null));
  const changes = await session.change(endHoldsSql, columns);
  // The rows are locked: any other number is a defect and rolls back.
  if (changes !== endings.length)
    throw new Error(
      `${changes} rows changed instead of ${endings.length}: ${endings.map(({ held }) => held.id).join(", ")} were to leave running`,
    );
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
