"use client";

import { useVirtualizer } from "@tanstack/react-virtual";
import { parseAsInteger, parseAsString, useQueryStates } from "nuqs";
import { type KeyboardEvent, useEffect, useEffectEvent, useMemo, useState } from "react";
import type { NamedStep } from "../../../server/contract/agent/conversation.ts";
import type { Run } from "../../../server/contract/run.ts";
import type { TimelineEntry } from "../../../server/contract/timeline.ts";
import { formatDuration } from "../../../server/shared/format.ts";
import { PanelBar } from "../../ui/page-layout.tsx";
import { useNow } from "../../ui/time.tsx";
import { Segmented } from "../../ui/controls/choice.tsx";
import { isOpen } from "../../ui/statuses.ts";
import { FollowEndButton, useFollowEnd } from "../follow-end.tsx";
import { ChildRows } from "./child-rows.tsx";
import { groupRows, type LogFilter, type ShownRow } from "./group-rows.ts";
import { RowDetails } from "./row-details.tsx";
import { linkOfRow, linkedRow, nameAgentRows, offsetOf, timesOf } from "./row-labels.ts";
import { timeScale, type TimeScale } from "./time-scale.ts";
import { WaterfallAxis, WaterfallGrid } from "./waterfall-axis.tsx";
import { WaterfallRowLine } from "./waterfall-row.tsx";
import { toWaterfall } from "./waterfall.ts";

const rowHeight = 30;
const firstWindow = { width: 1000, height: 720 };

const linkParsers = { step: parseAsString, attempt: parseAsInteger };

interface WaterfallListProps {
  runId: string;
  label: string;
  rows: readonly ShownRow[];
  scale: TimeScale;
  now: number;
  isGrowing: boolean;
  opened: ReadonlySet<string>;
  /** The row that the URL names: scrolled into view. */
  linked: string | null;
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
  const [link, setLink] = useQueryStates(linkParsers, { history: "replace" });
  const [pointed, setPointed] = useState<ShownRow | null>(null);
  const isGrowing = isOpen(run.status);
  const isExecuting = run.status === "running";
  const clock = useFrequentNow(isGrowing);
  const plain = useMemo(() => toWaterfall(entries, { isExecuting }), [entries, isExecuting]);
  const rows = useMemo(() => nameAgentRows(plain, steps), [plain, steps]);
  // The two clocks may differ: an entry of the timeline is never in the future.
  const now = Math.max(isGrowing ? clock : 0, Date.parse(entries.at(-1)?.at ?? "") || 0);
  const scale = timeScale(rows, now);
  // The row of the link is open from the start.
  const [linked] = useState(() => linkedRow(rows, link)?.key ?? null);
  const [opened, setOpened] = useState<ReadonlySet<string>>(() => new Set(linked === null ? [] : [linked]));
  const shown = useMemo(() => groupRows(rows, { logs, opened }), [rows, logs, opened]);
  const toggle = (key: string) => {
    const isOpening = !opened.has(key);
    setOpened(isOpening ? new Set([...opened, key]) : new Set([...opened].filter((one) => one !== key)));
    const row = rows.find((one) => one.key === key);
    if (row && (isOpening || linkedRow(rows, link)?.key === key)) void setLink(isOpening ? linkOfRow(rows, row) : null);
  };
  const hasLogs = rows.some(({ kind }) => kind === "log");
  return (
    <>
      <PanelBar>
        <span aria-hidden className="hidden min-w-0 truncate text-s text-ink-3 tabular-nums md:block">
          {pointed ? timesOf(pointed, { from: scale.from, now }) : `0 s – ${formatDuration(scale.to - scale.from)}`}
        </span>
        {hasLogs && (
          <span className="ml-auto">
            <Segmented label="Log filter" value={logs} options={filters} onChange={setLogs} />
          </span>
        )}
      </PanelBar>
      <WaterfallList
        runId={run.id}
        rows={shown}
        scale={scale}
        now={now}
        isGrowing={isGrowing}
        opened={opened}
        linked={linked}
        onToggle={toggle}
        onPoint={setPointed}
        label={`Timeline of ${run.id}, ${offsetOf(scale.to, scale.from)} in total`}
      />
    </>
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
function WaterfallList({
  runId,
  label,
  rows,
  scale,
  now,
  isGrowing,
  opened,
  linked,
  onToggle,
  onPoint,
}: WaterfallListProps) {
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
  const showLinked = useEffectEvent(() => {
    const at = linked === null ? -1 : rows.findIndex(({ key }) => key === linked);
    if (at < 0) return;
    virtual.scrollToIndex(at, { align: "center" });
    scroller.current?.scrollIntoView({ block: "center" });
  });
  useEffect(() => showLinked(), []);
  const items = virtual.getVirtualItems();
  const isActiveDrawn = items.some(({ key }) => key === active);
  return (
    <div className="relative [--label:104px] [--level:18px] [--took:76px] md:[--label:220px] md:[--level:26px] md:[--took:76px]">
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
                {isOpen && row.kind !== "group" && (
                  <>
                    <RowDetails runId={runId} row={row} from={scale.from} now={now} />
                    <ChildRows row={row} level={1} scale={scale} now={now} onPoint={onPoint} />
                  </>
                )}
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
