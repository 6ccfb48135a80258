import type { NamedStep } from "../../../server/contract/agent/conversation.ts";
import type { TimelineEntry } from "../../../server/contract/timeline.ts";
import { formatDuration, formatUtcMinute, formatUtcTime } from "../../../server/shared/format.ts";
import { describeEvents } from "../../../server/shared/runs/describe-wait.ts";
import { runStatuses } from "../../ui/statuses.ts";
import type { ShownRow } from "./group-rows.ts";
import {
  hasTimedOut,
  readChild,
  readDelivery,
  readEvents,
  type RowState,
  toWaterfall,
  type WaterfallRow,
} from "./waterfall.ts";

const stateLabels: Record<RowState, string> = { open: "in progress", ok: "done", failed: "failed", stopped: "stopped" };

const waitingKinds: ReadonlySet<WaterfallRow["kind"]> = new Set(["queued", "sleep", "wait", "child", "backoff"]);

/** The state of a row in a word or two; points in time and groups have none. */
export function stateText(row: WaterfallRow): string | null {
  if (row.kind === "reused") return "stored result reused";
  if (row.spans.length === 0) return null;
  if (hasTimedOut(row)) return "timed out";
  if (row.kind === "wait" && row.state === "ok") return "event received";
  const status = readChild(row)?.status;
  if (status) return runStatuses[status].label;
  if (waitingKinds.has(row.kind)) return row.state === "open" ? "waiting" : row.state === "stopped" ? "stopped" : null;
  return stateLabels[row.state];
}

/** What a row waits for, started or received, after its label: sources, or the target of a child run. */
export function subjectOf(row: WaterfallRow): string | null {
  const child = readChild(row);
  // Many steps have the name of what they call.
  if (child) return child.target.slug === row.label ? null : child.target.slug;
  if (row.kind !== "wait") return null;
  const sources =
    readDelivery(row)?.source ??
    readEvents(row)
      .map(({ source }) => source)
      .join(" or ");
  return sources || null;
}

/** How a row ended, if its icon alone would not say it. */
export function outcomeOf(row: WaterfallRow): string | null {
  if (hasTimedOut(row)) return "timed out";
  const status = readChild(row)?.status ?? "completed";
  return status === "completed" ? null : runStatuses[status].label;
}

/** The page that a row leads to: the child run, or the delivery that ended a wait. */
export function pageOf(row: WaterfallRow): { href: string; id: string; label: string } | null {
  const child = readChild(row);
  if (child) return { href: `/runs/${encodeURIComponent(child.runId)}`, id: child.runId, label: "Open child run" };
  const id = readDelivery(row)?.deliveryId;
  return id === undefined ? null : { href: `/deliveries/${encodeURIComponent(id)}`, id, label: "Open delivery" };
}

/** Time since the run was created: `1.20 s`. */
export function offsetOf(at: number, from: number): string {
  return formatDuration(at - from);
}

/** The duration of a row, so far if it is in progress; `null` for a point in time. */
export function durationOf(row: WaterfallRow, now: number): string | null {
  if (row.spans.length === 0) return null;
  const measured = row.kind === "step" ? (row.end?.durationMs ?? null) : null;
  return formatDuration(measured ?? (row.endedAt ?? now) - row.at);
}

const dayMs = 86_400_000;

/** The exact times of a row, for the line that follows the pointer and the focus. */
export function timesOf(row: ShownRow, { from, now }: { from: number; now: number }): string {
  if (row.kind === "group") {
    const [first, last] = [row.rows[0]?.at ?? from, row.rows.at(-1)?.at ?? from];
    return `${offsetOf(first, from)} – ${offsetOf(last, from)}`;
  }
  const began = `${formatUtcTime(row.at)} · at ${offsetOf(row.at, from)}`;
  const took = durationOf(row, now);
  if (took === null) return began;
  if (row.endedAt !== null) return `${began} · took ${took}`;
  if (row.until === null) return `${began} · ${took} so far`;
  const until = row.until - row.at < dayMs ? formatUtcTime(row.until) : formatUtcMinute(row.until);
  return `${began} · until ${until}`;
}

/** A row of a step in the URL: its name and, unless it is the last one with this name, its attempt. */
interface RowLink {
  step: string | null;
  attempt: number | null;
}

/** The row of a step, a sleep, a wait or a child run that a link names: the last one, or the last one of that attempt. */
export function linkedRow(rows: readonly WaterfallRow[], { step, attempt }: RowLink): WaterfallRow | undefined {
  if (step === null) return undefined;
  return rows.findLast(
    (row) => isLinked(row) && row.entry.name === step && (attempt === null || row.entry.attempt === attempt),
  );
}

/** The link to a row; `null`: it is no step. */
export function linkOfRow(rows: readonly WaterfallRow[], row: WaterfallRow): RowLink | null {
  if (!isLinked(row)) return null;
  const step = row.entry.name;
  return { step, attempt: linkedRow(rows, { step, attempt: null }) === row ? null : row.entry.attempt };
}

const linkedKinds: ReadonlySet<WaterfallRow["kind"]> = new Set(["step", "reused", "sleep", "wait", "child"]);

function isLinked({ kind, entry }: WaterfallRow): boolean {
  return entry.name !== null && linkedKinds.has(kind);
}

/** What a waiting run waits for, and until when; `null`: unknown, or a person's decision. */
export function findWait(entries: readonly TimelineEntry[]): { text: string; until: number } | null {
  const waits = toWaterfall(entries, { isExecuting: false }).flatMap((row) =>
    row.state === "open" && row.until !== null && row.entry.kind !== "approval_requested"
      ? [{ text: waitText(row), until: row.until }]
      : [],
  );
  return waits.toSorted((a, b) => a.until - b.until)[0] ?? null;
}

function waitText(row: WaterfallRow): string {
  if (row.kind === "wait")
    return `waits for ${
      readEvents(row)
        .map(({ source }) => source)
        .join(" or ") || "an event"
    } until`;
  const child = readChild(row);
  if (child) return `waits for ${child.target.slug} until`;
  return row.kind === "sleep" ? "sleeps until" : "retries at";
}

/** The kind of a row in its accessible name. */
function kindOf(row: WaterfallRow): string {
  if (row.kind === "log") return `log, ${row.entry.level ?? "info"}: `;
  if (row.of !== undefined) return "";
  if (row.kind === "step" || row.kind === "reused") return "step ";
  if (row.kind === "sleep") return "sleep ";
  if (row.kind === "child") return row.spans.length > 0 ? "call " : "start ";
  return row.kind === "wait" ? "wait " : "";
}

/** The accessible name of a row. */
export function nameOf(row: ShownRow, { from, now }: { from: number; now: number }): string {
  if (row.kind === "group") return `${row.label}, ${timesOf(row, { from, now })}`;
  const subject = row.kind === "wait" ? describeEvents(readEvents(row)) || null : subjectOf(row);
  return [`${kindOf(row)}${row.label}`, subject, stateText(row), timesOf(row, { from, now })]
    .filter((part) => part !== null)
    .join(", ");
}

/** The rows of an agent's run with readable labels, and with the outcomes of the steps. */
export function nameAgentRows(rows: readonly WaterfallRow[], steps: readonly NamedStep[]): WaterfallRow[] {
  const byName = new Map(steps.map((step) => [step.name, step]));
  return rows.map((row) => {
    const { name } = row.entry;
    const step = name === null || row.kind === "log" || row.kind === "event" ? undefined : byName.get(name);
    if (!step) return row;
    const label = row.label.replace(step.name, () => step.label);
    if (row.kind === "backoff") return { ...row, label };
    return { ...row, label, of: step.kind, state: (row.state === "ok" ? step.outcome : null) ?? row.state };
  });
}
