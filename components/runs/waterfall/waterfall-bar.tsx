import type { LogLevel } from "../../../server/contract/timeline.ts";
import { type Tone, toneGrounds, toneTexts } from "../../ui/statuses.ts";
import type { RowGroup } from "./group-rows.ts";
import type { TimeScale } from "./time-scale.ts";
import { percent } from "./waterfall-axis.tsx";
import { expectedEnd, readChild, type RowState, type Span, type WaterfallRow } from "./waterfall.ts";

const stateTones: Record<RowState, Tone> = { open: "run", ok: "ok", failed: "bad", stopped: "idle" };
const levelTones: Record<LogLevel, Tone> = { debug: "idle", info: "idle", warn: "wait", error: "bad" };

const fills: Record<Tone, string> = { ok: "bg-ok", run: "bg-run", wait: "bg-wait", bad: "bg-bad", idle: "bg-idle" };
/** The bars of a row, and the remaining time of an open wait. */
export function WaterfallBars({ row, scale, now }: { row: WaterfallRow; scale: TimeScale; now: number }) {
  const until = row.endedAt === null ? expectedEnd(row) : null;
  return (
    <>
      {row.spans.map((span) => (
        <Bar key={span.from} span={span} state={row.state} scale={scale} now={now} />
      ))}
      {until !== null && until > now && (
        <span
          className="absolute top-2 h-3.5 rounded-r-s border border-l-0 border-dashed border-line-strong"
          style={{
            left: percent(scale.position(now)),
            width: percent(scale.position(until) - scale.position(now)),
          }}
        />
      )}
    </>
  );
}

function Bar({ span, state, scale, now }: { span: Span; state: RowState; scale: TimeScale; now: number }) {
  const start = scale.position(span.from);
  const end = scale.position(span.to ?? now);
  return (
    <span
      className={`absolute min-w-[3px] ${lookOf(span, state)}`}
      style={{ left: `min(${percent(start)}, calc(100% - 3px))`, width: percent(end - start) }}
    />
  );
}

/**
 * Stripes for sleeps and waits for events, a soft ground for calls of child runs, hatching for the wait before another
 * attempt, dashes for the queue.
 */
function lookOf({ look }: Span, state: RowState): string {
  switch (look) {
    case "busy":
      return `top-2 h-3.5 rounded-s ${fills[stateTones[state]]} ${state === "open" ? "animate-pulse" : ""}`;
    case "idle":
      return `top-[14px] h-0.5 ${fills[stateTones[state]]} opacity-50`;
    case "sleep":
      return "top-2 h-3.5 rounded-s border border-run bg-[repeating-linear-gradient(90deg,var(--run-soft)_0_4px,transparent_4px_8px)]";
    case "call":
      return `top-2 h-3.5 rounded-s border ${toneGrounds[stateTones[state]]}`;
    case "backoff":
      return "top-2 h-3.5 rounded-s border border-wait bg-[repeating-linear-gradient(45deg,var(--wait-soft)_0_4px,transparent_4px_8px)]";
    case "queued":
      return "top-2 h-3.5 rounded-s border border-dashed border-idle bg-idle-soft";
  }
}

/** A point in time with its text. */
export function WaterfallPoint({ row, scale }: { row: WaterfallRow; scale: TimeScale }) {
  const position = scale.position(row.at);
  const isLate = position > 0.6;
  const tone = pointTone(row);
  const text = pointText(row);
  return (
    <span
      className={`absolute inset-y-0 flex items-center gap-1.5 ${isLate ? "right-0 flex-row-reverse" : "right-0"}`}
      style={
        isLate
          ? { left: 0, right: `calc(${percent(1 - position)} - 4px)` }
          : { left: `calc(${percent(position)} - 4px)` }
      }
    >
      <PointMark tone={tone} isReused={row.kind === "reused"} />
      {text && (
        <span
          className={`min-w-0 truncate ${row.kind === "log" ? `font-mono text-s ${tone === "idle" ? "text-ink-2" : toneTexts[tone]}` : "text-s text-ink-3"}`}
        >
          {text}
        </span>
      )}
    </span>
  );
}

/** From the first to the last row of a group. */
export function WaterfallGroupBar({ group, scale }: { group: RowGroup; scale: TimeScale }) {
  const [start, end] = [
    scale.position(group.rows[0]?.at ?? scale.from),
    scale.position(group.rows.at(-1)?.at ?? scale.from),
  ];
  return (
    <span
      className={`absolute top-[13px] h-1 min-w-1 rounded-full ${fills[levelTones[group.level]]} opacity-60`}
      style={{ left: percent(start), width: percent(end - start) }}
    />
  );
}

function pointTone(row: WaterfallRow): Tone {
  if (row.kind === "log") return levelTones[row.entry.level ?? "info"];
  if (row.entry.kind === "worker_lost" || row.entry.kind === "failed" || row.entry.kind === "timed_out") return "bad";
  return row.entry.kind === "cancel_requested" ? "wait" : "idle";
}

function pointText(row: WaterfallRow): string | null {
  if (row.kind === "reused") return null;
  const child = readChild(row);
  if (child) return `started ${child.target.slug}`;
  return row.kind === "log" ? row.label : row.entry.message;
}

/** A circle for a log line, a triangle for an error, a diamond for a warning, a hollow square for a reused step. */
function PointMark({ tone, isReused }: { tone: Tone; isReused: boolean }) {
  const shape = isReused ? (
    <rect x="1.5" y="1.5" width="6" height="6" rx="1" fill="none" stroke="currentColor" strokeWidth="1.5" />
  ) : tone === "bad" ? (
    <path d="M4.5 .5 9 8.5H0z" />
  ) : tone === "wait" ? (
    <path d="M4.5 0 9 4.5 4.5 9 0 4.5z" />
  ) : (
    <circle cx="4.5" cy="4.5" r="2.75" />
  );
  return (
    <svg
      aria-hidden
      width="9"
      height="9"
      viewBox="0 0 9 9"
      fill="currentColor"
      className={`shrink-0 ${toneTexts[tone]}`}
    >
      {shape}
    </svg>
  );
}
