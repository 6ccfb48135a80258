import type { ShownRow } from "./group-rows.ts";
import type { RowState, WaterfallRow } from "./waterfall.ts";
import { formatDuration, formatUtcTime } from "../../server/domain/format.ts";

const stateWords: Record<RowState, string> = { open: "in progress", ok: "done", failed: "failed", stopped: "stopped" };

/** The state of a row in a word or two; points in time and groups have none. */
export function stateOf(row: WaterfallRow): string | null {
  if (row.kind === "reused") return "stored result reused";
  if (row.spans.length === 0) return null;
  if (row.kind === "sleep" || row.kind === "backoff" || row.kind === "queued")
    return row.state === "open" ? "waiting" : row.state === "stopped" ? "stopped" : null;
  return stateWords[row.state];
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

/** The exact times of a row, for the line that follows the pointer and the focus. */
export function timesOf(row: ShownRow, p: { from: number; now: number }): string {
  if (row.kind === "group") {
    const [first, last] = [row.rows[0]?.at ?? p.from, row.rows.at(-1)?.at ?? p.from];
    return `${offsetOf(first, p.from)} – ${offsetOf(last, p.from)}`;
  }
  const began = `${formatUtcTime(row.at)} · at ${offsetOf(row.at, p.from)}`;
  const took = durationOf(row, p.now);
  if (took === null) return began;
  if (row.endedAt !== null) return `${began} · took ${took}`;
  return row.until === null ? `${began} · ${took} so far` : `${began} · until ${formatUtcTime(row.until)}`;
}

/** The accessible name of a row. */
export function nameOf(row: ShownRow, p: { from: number; now: number }): string {
  if (row.kind === "group") return `${row.label}, ${timesOf(row, p)}`;
  const level =
    row.kind === "log"
      ? `log, ${row.entry.level ?? "info"}: `
      : row.of !== undefined
        ? ""
        : row.kind === "step"
          ? "step "
          : row.kind === "sleep"
            ? "sleep "
            : row.kind === "reused"
              ? "step "
              : "";
  return [`${level}${row.label}`, stateOf(row), timesOf(row, p)].filter((part) => part !== null).join(", ");
}
