"use client";

import { useVirtualizer } from "@tanstack/react-virtual";
import { type KeyboardEvent, useEffect, useMemo, useState } from "react";
import type { NamedStep } from "../../../server/contract/agent/conversation.ts";
import type { Run } from "../../../server/contract/run.ts";
import type { TimelineEntry } from "../../../server/contract/timeline.ts";
import { formatDuration, formatUtc } from "../../../server/domain/format.ts";
import { JsonView } from "../../json/json-view.tsx";
import { PlainText } from "../../json/plain-text.tsx";
import { Facts, Panel } from "../../ui/page-layout.tsx";
import { RelativeTime, useNow } from "../../ui/time.tsx";
import { Segmented } from "../../ui/choice.tsx";
import { isOpen } from "../../ui/statuses.ts";
import { ErrorDetails } from "../detail/error-details.tsx";
import { describeError } from "../detail/run-errors.ts";
import { FollowEndButton, useFollowEnd } from "../follow-end.tsx";
import { groupRows, type LogFilter, type ShownRow } from "./group-rows.ts";
import { durationOf, nameAgentRows, offsetOf, stateText, timesOf } from "./row-labels.ts";
import { timeScale, type TimeScale } from "./time-scale.ts";
import { WaterfallAxis, WaterfallGrid } from "./waterfall-axis.tsx";
import { WaterfallRowLine } from "./waterfall-row.tsx";
import { readTries, toWaterfall, type WaterfallRow } from "./waterfall.ts";

const rowHeight = 30;
const firstWindow = { width: 1000, height: 720 };

interface WaterfallListProps {
  label: string;
  rows: readonly ShownRow[];
  scale: TimeScale;
  now: number;
  isGrowing: boolean;
  opened: ReadonlySet<string>;
  onToggle: (key: string) => void;
  onPoint: (row: ShownRow | null) => void;
}

const tickMs = 250;

const filters: { value: LogFilter; label: string }[] = [
  { value: "all", label: "All logs" },
  { value: "warn", label: "Warnings" },
  { value: "none", label: "No logs" },
];

interface Props {
  run: Pick<Run, "id" | "status" | "target">;
  entries: TimelineEntry[];
  /** The contents of an agent's steps. */
  steps: readonly NamedStep[];
}

/** The timeline of a run, to scale. */
export function WaterfallPanel({ run, entries, steps }: Props) {
  const [logs, setLogs] = useState<LogFilter>("all");
  const [opened, setOpened] = useState<ReadonlySet<string>>(new Set());
  const [pointed, setPointed] = useState<ShownRow | null>(null);
  const isGrowing = isOpen(run.status);
  const isExecuting = run.status === "running";
  const clock = useFrequentNow(isGrowing);
  const plain = useMemo(() => toWaterfall(entries, { isExecuting }), [entries, isExecuting]);
  const rows = useMemo(() => nameAgentRows(plain, steps), [plain, steps]);
  // The two clocks may differ: an entry of the timeline is never in the future.
  const now = Math.max(isGrowing ? clock : 0, Date.parse(entries.at(-1)?.at ?? "") || 0);
  const scale = timeScale(rows, now);
  const shown = useMemo(() => groupRows(rows, { logs, opened }), [rows, logs, opened]);
  const toggle = (key: string) =>
    setOpened((before) =>
      before.has(key) ? new Set([...before].filter((one) => one !== key)) : new Set([...before, key]),
    );
  const hasLogs = rows.some(({ kind }) => kind === "log");
  return (
    <Panel
      title="Timeline"
      note={
        <div className="flex min-w-0 items-center gap-4">
          <span aria-hidden className="hidden min-w-0 truncate tabular-nums lg:block">
            {pointed ? timesOf(pointed, { from: scale.from, now }) : `0 s – ${formatDuration(scale.to - scale.from)}`}
          </span>
          {hasLogs && <Segmented label="Log filter" value={logs} options={filters} onChange={setLogs} />}
        </div>
      }
    >
      <WaterfallList
        rows={shown}
        scale={scale}
        now={now}
        isGrowing={isGrowing}
        opened={opened}
        onToggle={toggle}
        onPoint={setPointed}
        label={`Timeline of ${run.id}, ${offsetOf(scale.to, scale.from)} in total`}
      />
    </Panel>
  );
}

/** The current time, updated four times a second while `isOpen`. */
function useFrequentNow(isOpen: boolean): number {
  const second = useNow();
  const [fine, setFine] = useState(0);
  useEffect(() => {
    if (!isOpen) return;
    const timer = setInterval(() => setFine(Date.now()), tickMs);
    return () => clearInterval(timer);
  }, [isOpen]);
  return Math.max(second, fine);
}

/** The virtualized rows. While the run is open, the list follows the end, unless the reader scrolled up. */
function WaterfallList({ label, rows, scale, now, isGrowing, opened, onToggle, onPoint }: WaterfallListProps) {
  const { scroller, isAtEnd, onScroll, toEnd } = useFollowEnd(isGrowing);
  // oxlint-disable-next-line react/incompatible-library -- nothing of the virtualizer is handed on
  const virtual = useVirtualizer({
    count: rows.length,
    getScrollElement: () => scroller.current,
    estimateSize: () => rowHeight,
    getItemKey: (index) => rows[index]?.key ?? index,
    initialRect: firstWindow,
    overscan: 12,
  });
  const [active, setActive] = useState<string | null>(null);
  const items = virtual.getVirtualItems();
  const isActiveDrawn = items.some(({ key }) => key === active);
  return (
    <div className="relative [--label:104px] [--took:76px] md:[--label:220px] md:[--took:76px]">
      <WaterfallAxis scale={scale} now={isGrowing ? now : null} />
      <div
        ref={scroller}
        onScroll={onScroll}
        onPointerLeave={() => onPoint(null)}
        className="max-h-[min(66vh,760px)] overflow-x-hidden overflow-y-auto overscroll-contain [overflow-anchor:none] [scrollbar-gutter:stable]"
      >
        <ol
          aria-label={label}
          onKeyDown={moveFocus}
          className="relative my-1.5"
          style={{ height: virtual.getTotalSize() }}
        >
          <WaterfallGrid scale={scale} now={isGrowing ? now : null} />
          {items.map((item, position) => {
            const row = rows[item.index];
            if (!row) return null;
            const isOpen = opened.has(row.key);
            return (
              <li
                key={item.key}
                ref={virtual.measureElement}
                data-index={item.index}
                aria-setsize={rows.length}
                aria-posinset={item.index + 1}
                className="absolute inset-x-0 top-0"
                style={{ transform: `translateY(${item.start}px)` }}
              >
                <WaterfallRowLine
                  row={row}
                  scale={scale}
                  now={now}
                  isOpen={isOpen}
                  isTabStop={isActiveDrawn ? item.key === active : position === 0}
                  onToggle={() => onToggle(row.key)}
                  onPoint={() => onPoint(row)}
                  onFocus={() => {
                    setActive(row.key);
                    onPoint(row);
                  }}
                />
                {isOpen && row.kind !== "group" && <RowDetails row={row} from={scale.from} now={now} />}
              </li>
            );
          })}
        </ol>
      </div>
      {isGrowing && !isAtEnd && <FollowEndButton onClick={toEnd} />}
    </div>
  );
}

/** Arrow keys move from row to row. */
function moveFocus(event: KeyboardEvent<HTMLOListElement>): void {
  const step = event.key === "ArrowDown" ? 1 : event.key === "ArrowUp" ? -1 : 0;
  const buttons = [...event.currentTarget.querySelectorAll<HTMLElement>("[data-row]")];
  const at = buttons.findIndex((button) => button === document.activeElement);
  if (step === 0 || at < 0) return;
  event.preventDefault();
  buttons[at + step]?.focus();
}

/** The details of a row: exact times, the error with its source line, the message and data of a log line. */
function RowDetails({ row, from, now }: { row: WaterfallRow; from: number; now: number }) {
  const { entry, end } = row;
  const ending = end ?? entry;
  const tries = row.kind === "step" ? readTries(ending) : null;
  const nextTry = row.kind === "step" && ending.kind === "step_failed" ? ending.until : null;
  return (
    <div role="group" aria-label={`Details of ${row.label}`} className="border-y bg-sunken px-4 pt-1 md:pl-8">
      <Facts
        facts={[
          [row.spans.length > 0 ? "started" : "at", <Moment key="began" at={row.at} from={from} />],
          [
            "ended",
            row.spans.length > 0 && row.endedAt !== null ? <Moment key="ended" at={row.endedAt} from={from} /> : null,
          ],
          ["scheduled end", row.until === null ? null : <Moment key="until" at={row.until} from={from} />],
          ["duration", row.endedAt === null ? null : durationOf(row, now)],
          ["state", stateText(row)],
          ["attempt", row.entry.attempt > 0 ? row.entry.attempt : null],
          ["try", tries && `${tries.number} of ${tries.max}`],
          ["next try", nextTry && <Moment key="next" at={Date.parse(nextTry)} from={from} />],
          ["level", row.entry.level],
        ]}
      />
      {entry.message && (
        <p className="mb-3 max-h-80 overflow-auto font-mono text-s break-words whitespace-pre-wrap">
          <PlainText text={entry.message} />
        </p>
      )}
      {ending.error && row.state === "failed" && (
        <div className="mb-3 overflow-hidden rounded-m border bg-panel">
          <ErrorDetails failure={describeError(ending, ending.error)} />
        </div>
      )}
      {entry.kind === "log" && entry.data !== null && (
        <div className="mb-3 overflow-hidden rounded-m border bg-panel">
          <JsonView
            text={JSON.stringify(entry.data, null, 2)}
            label="Data of the log line"
            copyLabel="Copy the data"
            maxHeight={320}
          />
        </div>
      )}
    </div>
  );
}

function Moment({ at, from }: { at: number; from: number }) {
  const iso = new Date(at).toISOString();
  return (
    <>
      {formatUtc(iso)}{" "}
      <span className="font-normal text-ink-3">
        (+{offsetOf(at, from)}, <RelativeTime iso={iso} />)
      </span>
    </>
  );
}
