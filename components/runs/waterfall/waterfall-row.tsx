import {
  ArrowUpRight,
  Bot,
  Check,
  ChevronRight,
  CircleSlash,
  CornerDownRight,
  Hand,
  Hourglass,
  LoaderCircle,
  type LucideIcon,
  MessageSquareText,
  Moon,
  TimerOff,
  TriangleAlert,
  Webhook,
  Workflow,
  Wrench,
} from "lucide-react";
import Link from "next/link";
import type { TargetKind } from "../../../server/contract/project/target.ts";
import type { ShownRow } from "./group-rows.ts";
import { durationOf, nameOf, offsetOf, outcomeOf, pageOf, subjectOf } from "./row-labels.ts";
import type { TimeScale } from "./time-scale.ts";
import { hasTimedOut, readChild, type RowState, type WaterfallRow } from "./waterfall.ts";
import { waterfallColumns } from "./waterfall-axis.tsx";
import { WaterfallBars, WaterfallGroupBar, WaterfallPoint } from "./waterfall-bar.tsx";

interface Props {
  row: ShownRow;
  /** Default: 0, a row of the run that is shown. 1: of a child run in its timeline. */
  level?: number;
  scale: TimeScale;
  now: number;
  isOpen: boolean;
  isTabStop: boolean;
  onToggle: () => void;
  onPoint: () => void;
  onFocus: () => void;
}

/** One row of the waterfall: label, bars to scale, duration. A click opens its details. */
export function WaterfallRowLine({ row, level = 0, scale, now, isOpen, isTabStop, onToggle, onPoint, onFocus }: Props) {
  const times = { from: scale.from, now };
  const page = row.kind === "group" ? null : pageOf(row);
  return (
    <div className="relative" onPointerEnter={onPoint}>
      <button
        type="button"
        data-row=""
        aria-expanded={isOpen}
        tabIndex={isTabStop ? 0 : -1}
        onClick={onToggle}
        onFocus={onFocus}
        className={`${waterfallColumns} group relative h-[30px] w-full cursor-pointer items-center text-left -outline-offset-2 hover:bg-accent-soft/50`}
      >
        <span className="sr-only">{nameOf(row, times)}</span>
        <span
          aria-hidden
          className={`flex min-w-0 items-center gap-1.5 ${page ? "md:pr-5" : ""}`}
          style={{ paddingLeft: indentOf(row.kind === "group" ? 1 : row.depth, level) }}
        >
          {row.kind === "group" ? (
            <GroupLabel label={row.label} isOpen={isOpen} />
          ) : (
            <RowLabel row={row} from={scale.from} />
          )}
        </span>
        <span aria-hidden className="relative h-full min-w-0">
          {row.kind === "group" ? (
            <WaterfallGroupBar group={row} scale={scale} />
          ) : row.spans.length > 0 ? (
            <WaterfallBars row={row} scale={scale} now={now} />
          ) : (
            <WaterfallPoint row={row} scale={scale} />
          )}
        </span>
        <span aria-hidden className="truncate text-right text-s text-ink-2 tabular-nums">
          {row.kind === "group" ? null : durationOf(row, now)}
        </span>
      </button>
      {page && (
        <Link
          href={page.href}
          prefetch={false}
          tabIndex={isTabStop ? 0 : -1}
          title={page.id}
          aria-label={`${page.label} ${page.id}`}
          className="absolute top-[3px] left-[calc(1rem+var(--label)-18px)] hidden size-6 place-items-center rounded-m text-ink-3 hover:bg-sunken hover:text-accent md:grid"
        >
          <ArrowUpRight aria-hidden size={13} />
        </Link>
      )}
    </div>
  );
}

const maxLevels = 3;

/** How far a label is indented: the rows of a child run are to the right of the row of its call. */
export function indentOf(depth: 0 | 1, level: number): string {
  return `calc(${16 * depth}px + ${Math.min(level, maxLevels)} * var(--level))`;
}

function GroupLabel({ label, isOpen }: { label: string; isOpen: boolean }) {
  return (
    <>
      <ChevronRight
        aria-hidden
        size={12}
        className={`shrink-0 text-ink-3 transition-transform ${isOpen ? "rotate-90" : ""}`}
      />
      <span className="truncate text-ink-2">{label}</span>
    </>
  );
}

const stateIcons: Record<RowState, { icon: LucideIcon; tone: string }> = {
  open: { icon: LoaderCircle, tone: "text-run animate-spin" },
  ok: { icon: Check, tone: "text-ok" },
  failed: { icon: TriangleAlert, tone: "text-bad" },
  stopped: { icon: CircleSlash, tone: "text-idle" },
};

/** The icon of the kind of an agent step or of a child run, after the icon of its state. */
const kindIcons: Record<NonNullable<WaterfallRow["of"]> | TargetKind, LucideIcon | null> = {
  prompt: MessageSquareText,
  model: Bot,
  tool: Wrench,
  question: Hand,
  approval: null,
  pause: null,
  workflow: Workflow,
  agent: Bot,
};

function RowLabel({ row, from }: { row: WaterfallRow; from: number }) {
  if (row.kind === "log") {
    return (
      <>
        <span className="w-3 shrink-0" />
        <span className="truncate text-s text-ink-3 tabular-nums">
          {row.entry.level ?? "info"} <span className="hidden md:inline">at {offsetOf(row.at, from)}</span>
        </span>
      </>
    );
  }
  const { icon: Icon, tone } = iconOf(row);
  const { icon: Kind } = kindIconOf(row);
  return (
    <>
      <Icon aria-hidden size={12} strokeWidth={2.4} className={`shrink-0 ${tone}`} />
      {Kind && <Kind aria-hidden size={12} className="hidden shrink-0 text-ink-3 md:block" />}
      <span
        className={`truncate ${row.kind === "attempt" ? "font-semibold" : row.kind === "step" ? "" : "text-ink-2"}`}
      >
        {row.label}
      </span>
      {row.kind === "reused" && <span className="shrink-0 text-s text-ink-3">reused</span>}
      <Subject row={row} />
    </>
  );
}

/** How a wait or a call ended, or what it is about: the label has little room. */
function Subject({ row }: { row: WaterfallRow }) {
  const outcome = outcomeOf(row);
  if (outcome) return <span className="shrink-0 text-s text-ink-3">{outcome}</span>;
  const subject = subjectOf(row);
  return subject && <span className="hidden truncate text-s text-ink-3 md:inline">{subject}</span>;
}

function kindIconOf(row: WaterfallRow): { icon: LucideIcon | null } {
  const kind = row.of ?? readChild(row)?.target.kind;
  return { icon: kind ? kindIcons[kind] : null };
}

function iconOf(row: WaterfallRow): { icon: LucideIcon; tone: string } {
  if (row.of === "approval") return { icon: Hand, tone: row.endedAt === null ? "text-wait" : "text-ink-3" };
  if (row.of === "pause") return { icon: Hourglass, tone: "text-wait" };
  if (row.kind === "sleep") return { icon: Moon, tone: "text-run" };
  if (hasTimedOut(row)) return { icon: TimerOff, tone: "text-idle" };
  if (row.kind === "wait") return { icon: Webhook, tone: row.endedAt === null ? "text-wait" : "text-ok" };
  if (row.kind === "child" && row.spans.length === 0) return { icon: CornerDownRight, tone: "text-ink-3" };
  if (outcomeOf(row) === "timed out") return { icon: TimerOff, tone: "text-bad" };
  if (row.kind === "backoff") return { icon: Hourglass, tone: "text-wait" };
  if (row.kind === "queued") return { icon: Hourglass, tone: "text-idle" };
  if (row.kind === "event")
    return row.entry.kind === "canceled" || row.entry.kind === "cancel_requested"
      ? stateIcons.stopped
      : stateIcons.failed;
  return stateIcons[row.state];
}
