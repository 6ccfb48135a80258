import type { Json } from "../../server/contract/json.ts";
import type { RunStatus, StartedBy } from "../../server/contract/run.ts";
import type { TimelineKind } from "../../server/contract/timeline.ts";
import type { PlannedTrigger } from "./plan-project.ts";
import type { Random } from "./random.ts";

/** A row of `run`, as its columns are named. */
export interface RunRow {
  id: string;
  status: RunStatus;
  trigger: string | null;
  attachment_id: string | null;
  target_kind: "workflow";
  target_slug: string;
  target: string;
  delivery_id: string | null;
  started_by: StartedBy;
  replay_of: string | null;
  version: string;
  attempt: number;
  max_attempts: number;
  created_at: number;
  started_at: number | null;
  finished_at: number | null;
  available_at: number;
  error_name: string | null;
  error_message: string | null;
  error_stack: string | null;
  payload: string | null;
  input: string | null;
  output: string | null;
}

export interface EventRow {
  run_id: string;
  at: number;
  kind: TimelineKind;
  attempt: number;
  name: string | null;
  duration_ms: number | null;
}

interface RunPlan {
  id: string;
  trigger: PlannedTrigger;
  deliveryId: string | null;
  startedBy: StartedBy;
  replayOf: string | null;
  version: string;
  at: number;
  payload: Json;
  /** The newest have not ended. */
  isOpen: boolean;
}

export function makeRun(plan: RunPlan, random: Random): { row: RunRow; events: EventRow[] } {
  const { id, trigger, at } = plan;
  const status = plan.isOpen ? "queued" : pickStatus(random.next());
  const startedAt = status === "queued" ? null : at + random.between(1, 80);
  const finishedAt = startedAt === null ? null : startedAt + Math.ceil(5 / (random.next() + 0.002));
  const isBad = status === "failed" || status === "timed_out";
  const isWebhook = plan.startedBy !== "api";
  const input = JSON.stringify({ id, amount: 100, note: "made of the payload" });
  return {
    row: {
      id,
      status,
      trigger: isWebhook ? trigger.slug : null,
      attachment_id: isWebhook ? trigger.attachmentId : null,
      target_kind: "workflow",
      target_slug: trigger.workflow,
      target: `workflow:${trigger.workflow}`,
      delivery_id: plan.deliveryId,
      started_by: plan.startedBy,
      replay_of: plan.replayOf,
      version: plan.version,
      attempt: startedAt === null ? 0 : 1,
      max_attempts: 3,
      created_at: at,
      started_at: startedAt,
      finished_at: finishedAt,
      available_at: at,
      error_name: isBad ? "Error" : null,
      error_message: isBad ? "The ledger did not respond" : null,
      error_stack: isBad
        ? `Error: The ledger did not respond\n    at run (workflows/${trigger.workflow}.ts:10:11)`
        : null,
      payload: isWebhook ? JSON.stringify(plan.payload) : null,
      input: startedAt === null && isWebhook ? null : input,
      output: status === "completed" ? JSON.stringify({ handled: id }) : null,
    },
    events: eventsOf({ id, at, status, startedAt, finishedAt }),
  };
}

function eventsOf(p: {
  id: string;
  at: number;
  status: RunStatus;
  startedAt: number | null;
  finishedAt: number | null;
}): EventRow[] {
  const event = (kind: TimelineKind, at: number, given: Partial<EventRow> = {}): EventRow => ({
    run_id: p.id,
    at,
    kind,
    attempt: 1,
    name: null,
    duration_ms: null,
    ...given,
  });
  const queued = event("queued", p.at, { attempt: 0 });
  if (
    p.startedAt === null ||
    p.finishedAt === null ||
    p.status === "queued" ||
    p.status === "running" ||
    p.status === "waiting"
  )
    return [queued];
  const durationMs = p.finishedAt - p.startedAt;
  return [
    queued,
    event("attempt_started", p.startedAt),
    event("step_started", p.startedAt, { name: "handle" }),
    event(p.status === "completed" ? "step_completed" : "step_failed", p.finishedAt, {
      name: "handle",
      duration_ms: durationMs,
    }),
    event(p.status, p.finishedAt),
  ];
}

function pickStatus(chance: number): RunStatus {
  if (chance < 0.06) return "failed";
  if (chance < 0.07) return "timed_out";
  return chance < 0.09 ? "canceled" : "completed";
}
