import type { AgentStepKind } from "../../../server/contract/agent/conversation.ts";
import {
  type AwaitedEvent,
  childFinishedSchema,
  childStartedSchema,
  type RunStatus,
  waitFinishedSchema,
  waitStartedSchema,
} from "../../../server/contract/run.ts";
import type { Target } from "../../../server/contract/project/target.ts";
import type { TimelineEntry } from "../../../server/contract/timeline.ts";
import { formatDuration } from "../../../server/shared/format.ts";

/**
 * The look of a section of a row. `idle`: the attempt is in progress, but no worker executes it (it sleeps, or its
 * worker was lost).
 */
type SpanLook = "busy" | "idle" | "sleep" | "call" | "backoff" | "queued";

/** UTC milliseconds; `to` is `null` while it is in progress. */
export interface Span {
  from: number;
  to: number | null;
  look: SpanLook;
}

/** `child`: a child run. Its row is a point in time if the run does not wait for it. */
type RowKind = "queued" | "attempt" | "step" | "reused" | "sleep" | "wait" | "child" | "backoff" | "log" | "event";

/** `stopped`: it neither succeeded nor failed: canceled, or its worker was lost. */
export type RowState = "open" | "ok" | "failed" | "stopped";

/** One row of the waterfall. Without spans it is a point in time. */
export interface WaterfallRow {
  /** Stable from one query of the timeline to the next. */
  key: string;
  kind: RowKind;
  label: string;
  /** The kind of an agent step. */
  of?: AgentStepKind;
  depth: 0 | 1;
  state: RowState;
  at: number;
  endedAt: number | null;
  /** The scheduled end of a sleep or a backoff, or the timeout of a wait or a call. */
  until: number | null;
  spans: Span[];
  /** The entry that started it, and the entry that ended it, which has the error. */
  entry: TimelineEntry;
  end: TimelineEntry | null;
}

type RowStart = Pick<WaterfallRow, "entry" | "at" | "kind" | "label" | "depth">;

/** Converts timeline entries to rows, ordered by their start. `isExecuting`: a worker executes the run now. */
export function toWaterfall(
  entries: readonly TimelineEntry[],
  { isExecuting }: { isExecuting: boolean },
): WaterfallRow[] {
  const chart = new Chart();
  for (const entry of entries) {
    const at = Date.parse(entry.at);
    chart.add(entry, at);
    if (!addedByOthers.has(entry.kind)) chart.lastAt = at;
  }
  if (!isExecuting) chart.pauseAttempt(chart.lastAt);
  return chart.rows;
}

/** What is added while no worker may execute the run. */
const addedByOthers: ReadonlySet<TimelineEntry["kind"]> = new Set([
  "wait_finished",
  "child_finished",
  "approval_decided",
  "cancel_requested",
]);

/** The rows so far, and the open rows. */
class Chart {
  readonly rows: WaterfallRow[] = [];
  /** When a worker added the last entry. */
  lastAt = 0;
  private attempt: WaterfallRow | null = null;
  private wait: WaterfallRow | null = null;
  private readonly steps = new Map<string, WaterfallRow>();
  /** The waits between two tries of a step. */
  private readonly tryWaits = new Map<string, WaterfallRow>();
  private readonly sleeps = new Map<string, WaterfallRow>();
  /** The calls of child runs. They outlast the attempt that made them. */
  private readonly calls = new Map<string, WaterfallRow>();

  add(entry: TimelineEntry, at: number): void {
    const name = entry.name ?? "";
    switch (entry.kind) {
      case "queued":
        this.wait = this.open({ entry, at, kind: "queued", label: "Queued", depth: 0, look: "queued" });
        return;
      case "attempt_started":
        this.endWait(entry, at);
        this.beginAttempt(entry, at);
        return;
      case "resumed":
        return this.resumeAttempt(entry, at);
      case "attempt_failed":
        return this.endAttempt(entry, at, "failed");
      case "retry_scheduled":
        return this.beginBackoff(entry, at);
      case "step_started":
        this.endTryWait(entry, at);
        this.steps.set(name, this.open({ entry, at, kind: "step", label: labelOfTry(entry), depth: 1, look: "busy" }));
        return;
      case "step_completed":
        return this.endStep(entry, at);
      case "step_failed":
        this.endStep(entry, at);
        if (entry.until !== null) this.tryWaits.set(name, this.openBackoff(entry, at, `${name}: `));
        return;
      case "step_reused":
        this.point({ entry, at, kind: "reused", label: name, depth: 1 });
        return;
      case "sleep_started":
      case "approval_requested":
        this.sleeps.set(name, this.open({ entry, at, kind: "sleep", label: name, depth: 1, look: "sleep" }));
        return;
      case "wait_started":
        this.sleeps.set(name, this.open({ entry, at, kind: "wait", label: name, depth: 1, look: "sleep" }));
        return;
      case "sleep_finished":
      case "wait_finished":
      case "approval_decided":
        return this.endSleep(entry, at);
      case "child_started":
        return this.beginChild(entry, at);
      case "child_finished":
        return this.endCall(entry, at);
      case "worker_lost":
        this.point({ entry, at, kind: "event", label: "Worker lost", depth: 1 });
        this.endAll(this.steps, entry, at);
        return this.pauseAttempt(at);
      case "cancel_requested":
        this.point({ entry, at, kind: "event", label: "Cancel requested", depth: 1 });
        return;
      case "key_released":
        this.point({ entry, at, kind: "event", label: "Key released", depth: 1 });
        return;
      case "resume_requested":
        this.wait = this.open({ entry, at, kind: "queued", label: "Resumed", depth: 0, look: "queued" });
        return;
      case "log":
        this.point({ entry, at, kind: "log", label: entry.message ?? "", depth: 1 });
        return;
      case "completed":
      case "failed":
      case "timed_out":
      case "canceled":
        return this.endRun(entry, at);
    }
  }

  /** No worker executes the attempt until it is resumed. */
  pauseAttempt(at: number): void {
    const span = this.attempt?.spans.at(-1);
    if (!this.attempt || !span || span.to !== null || span.look === "idle") return;
    span.to = at;
    this.attempt.spans.push({ from: at, to: null, look: "idle" });
  }

  private beginAttempt(entry: TimelineEntry, at: number): void {
    if (this.attempt) this.endAttempt(entry, at, "stopped");
    this.attempt = this.open({ entry, at, kind: "attempt", label: `Attempt ${entry.attempt}`, depth: 0, look: "busy" });
  }

  /** A suspended run has no entry of its own: it was suspended right after the last entry of its worker. */
  private resumeAttempt(entry: TimelineEntry, at: number): void {
    if (!this.attempt) return this.beginAttempt(entry, at);
    this.endAll(this.steps, entry, this.lastAt);
    this.pauseAttempt(this.lastAt);
    const idle = this.attempt.spans.at(-1);
    if (idle) idle.to = at;
    this.attempt.spans.push({ from: at, to: null, look: "busy" });
  }

  private endAttempt(entry: TimelineEntry, at: number, state: RowState): void {
    this.endAll(this.steps, entry, at);
    this.endAll(this.tryWaits, entry, at);
    this.endAll(this.sleeps, entry, at);
    if (this.attempt) close(this.attempt, { entry, at, state });
    this.attempt = null;
  }

  private beginBackoff(entry: TimelineEntry, at: number): void {
    this.wait = this.openBackoff(entry, at, "");
  }

  private openBackoff(entry: TimelineEntry, at: number, what: string): WaterfallRow {
    const until = Date.parse(entry.until ?? entry.at);
    const label = `${what}backoff ${formatDuration(until - at)}`;
    const row = this.open({ entry, at, kind: "backoff", label, depth: 1, look: "backoff" });
    // The failed try may be a row of the same entry.
    row.key = `backoff:${entry.id}`;
    return row;
  }

  private endWait(entry: TimelineEntry, at: number): void {
    if (this.wait) closeWait(this.wait, { entry, at });
    this.wait = null;
  }

  private endTryWait(entry: TimelineEntry, at: number): void {
    const wait = this.tryWaits.get(entry.name ?? "");
    if (wait) closeWait(wait, { entry, at });
    this.tryWaits.delete(entry.name ?? "");
  }

  private endStep(entry: TimelineEntry, at: number): void {
    const name = entry.name ?? "";
    const row =
      this.steps.get(name) ??
      this.open({
        entry,
        at: at - (entry.durationMs ?? 0),
        kind: "step",
        label: labelOfTry(entry),
        depth: 1,
        look: "busy",
      });
    close(row, { entry, at, state: entry.kind === "step_failed" ? "failed" : "ok" });
    this.steps.delete(name);
  }

  private endSleep(entry: TimelineEntry, at: number): void {
    const row = this.sleeps.get(entry.name ?? "");
    if (row) close(row, { entry, at, state: "ok" });
    this.sleeps.delete(entry.name ?? "");
  }

  private beginChild(entry: TimelineEntry, at: number): void {
    const name = entry.name ?? "";
    const row: RowStart = { entry, at, kind: "child", label: name, depth: 1 };
    if (childStartedSchema.safeParse(entry.data).data?.isAwaited === false) return this.point(row);
    this.calls.set(name, this.open({ ...row, look: "call" }));
  }

  private endCall(entry: TimelineEntry, at: number): void {
    const row = this.calls.get(entry.name ?? "");
    if (!row) return;
    // The run had failed before its child ended, and was resumed.
    if (row.endedAt !== null) row.spans.push({ from: row.endedAt, to: null, look: "call" });
    const status = childFinishedSchema.safeParse(entry.data).data?.status;
    close(row, { entry, at, state: (status && endStates[status]) ?? "stopped" });
  }

  private endRun(entry: TimelineEntry, at: number): void {
    const hadAttempt = this.rows.some(({ kind }) => kind === "attempt");
    this.endAttempt(entry, at, endStates[entry.kind] ?? "stopped");
    for (const call of this.calls.values()) if (call.endedAt === null) close(call, { entry, at, state: "stopped" });
    if (this.wait) close(this.wait, { entry, at, state: "stopped" });
    this.wait = null;
    if (entry.kind === "canceled" || !hadAttempt)
      this.point({ entry, at, kind: "event", label: endLabels[entry.kind] ?? "Ended", depth: 0 });
  }

  private endAll(open: Map<string, WaterfallRow>, entry: TimelineEntry, at: number): void {
    for (const row of open.values()) close(row, { entry, at, state: "stopped" });
    open.clear();
  }

  private open({ look, ...start }: RowStart & { look: SpanLook }): WaterfallRow {
    const { at, entry } = start;
    const until = entry.until === null ? null : Date.parse(entry.until);
    const spans = [{ from: at, to: null, look }];
    const row: WaterfallRow = { ...start, key: keyOf(entry), state: "open", endedAt: null, until, spans, end: null };
    this.rows.push(row);
    return row;
  }

  private point(point: RowStart): void {
    const key = keyOf(point.entry);
    this.rows.push({ ...point, key, state: "ok", endedAt: point.at, until: null, spans: [], end: null });
  }
}

/** By the kind of the last entry of a run, or by the status of a child run. */
const endStates: Partial<Record<string, RowState>> = {
  completed: "ok",
  failed: "failed",
  timed_out: "failed",
  canceled: "stopped",
};
const endLabels: Partial<Record<TimelineEntry["kind"], string>> = {
  completed: "Completed",
  failed: "Failed",
  timed_out: "Timed out",
  canceled: "Canceled",
};

/** The name of a step; from its second try on, with the number of the try. */
function labelOfTry(entry: TimelineEntry): string {
  const tries = readTries(entry);
  return tries && tries.number > 1 ? `${entry.name ?? ""}, try ${tries.number}` : (entry.name ?? "");
}

/** The number of a try of a step with retries of its own; `null`: it has none. */
export function readTries({ data }: TimelineEntry): { number: number; max: number } | null {
  if (typeof data !== "object" || data === null || Array.isArray(data)) return null;
  const { try: number, maxTries: max } = data;
  return typeof number === "number" && typeof max === "number" ? { number, max } : null;
}

/** The events of which the first ends a wait. */
export function readEvents({ entry }: Pick<WaterfallRow, "entry">): AwaitedEvent[] {
  return waitStartedSchema.safeParse(entry.data).data?.events ?? [];
}

/** The delivery that ended a wait, and its source; `null`: it has not ended, or has timed out. */
export function readDelivery({
  kind,
  end,
}: Pick<WaterfallRow, "kind" | "end">): { deliveryId: string; source: string } | null {
  return kind === "wait" ? (waitFinishedSchema.safeParse(end?.data).data ?? null) : null;
}

/** A child run in the row of its call or its start. */
export interface ChildOfRow {
  runId: string;
  target: Target;
  /** How the call ended; `null`: it has not, or the run does not wait for the child. */
  status: RunStatus | null;
}

/**
 * The time until which the chart shows an open row; `null`: it is not known. A call is not expected to last until its
 * timeout.
 */
export function expectedEnd({ kind, until }: Pick<WaterfallRow, "kind" | "until">): number | null {
  return kind === "child" ? null : until;
}

/** The child run of a row; `null`: the row is about none. */
export function readChild({ kind, entry, end }: Pick<WaterfallRow, "kind" | "entry" | "end">): ChildOfRow | null {
  const started = kind === "child" ? childStartedSchema.safeParse(entry.data).data : undefined;
  if (!started) return null;
  const { runId, target } = started;
  return { runId, target, status: childFinishedSchema.safeParse(end?.data).data?.status ?? null };
}

/** Whether a wait ended without an event. */
export function hasTimedOut({ kind, end }: Pick<WaterfallRow, "kind" | "end">): boolean {
  return kind === "wait" && end?.kind === "wait_finished" && end.data === null;
}

/** The time after the scheduled end was spent waiting for a free worker. */
function closeWait(wait: WaterfallRow, { entry, at }: { entry: TimelineEntry; at: number }): void {
  close(wait, { entry, at, state: "ok" });
  const { until, spans } = wait;
  const [span] = spans;
  if (!span || until === null || at - until <= 100) return;
  span.to = until;
  spans.push({ from: until, to: at, look: "queued" });
}

function keyOf(entry: TimelineEntry): string {
  return `${entry.kind}:${entry.id}`;
}

function close(row: WaterfallRow, { entry, at, state }: { entry: TimelineEntry; at: number; state: RowState }): void {
  const last = row.spans.at(-1);
  if (last && last.to === null) last.to = Math.max(last.from, at);
  row.endedAt = Math.max(row.at, at);
  row.state = state;
  row.end = entry;
}
