"use client";

import { useVirtualizer } from "@tanstack/react-virtual";
import { ChevronRight, Download } from "lucide-react";
import { parseAsString, parseAsStringLiteral, useQueryStates } from "nuqs";
import { useMemo, useState } from "react";
import type { Run } from "../../../server/contract/run.ts";
import type { LogLevel, TimelineEntry } from "../../../server/contract/timeline.ts";
import { formatCount, formatNumber, formatUtc, formatUtcTime } from "../../../server/shared/format.ts";
import { JsonView } from "../../json/json-view.tsx";
import { PlainText } from "../../json/plain-text.tsx";
import { IconButton } from "../../ui/controls/button.tsx";
import { Choice } from "../../ui/controls/choice.tsx";
import { CopyButton } from "../../ui/controls/copy-button.tsx";
import { PanelBar } from "../../ui/page-layout.tsx";
import { EmptyState } from "../../ui/states.tsx";
import { isOpen } from "../../ui/statuses.ts";
import { FilterInput } from "../../ui/controls/text-input.tsx";
import { FollowEndButton, useFollowEnd } from "../follow-end.tsx";
import { saveFile } from "../save-file.ts";
import { filterLogs, logLevels, printLogs } from "./run-logs.ts";

const rowHeight = 28;
const firstWindow = { width: 1000, height: 720 };

const levelOptions: readonly { value: LogLevel; label: string }[] = [
  { value: "debug", label: "All levels" },
  { value: "info", label: "Info and above" },
  { value: "warn", label: "Warnings and errors" },
  { value: "error", label: "Errors" },
];

const levelTexts: Record<LogLevel, string> = {
  debug: "text-ink-3",
  info: "text-ink-2",
  warn: "text-wait",
  error: "text-bad",
};

const filterParsers = {
  level: parseAsStringLiteral(logLevels).withDefault("debug"),
  find: parseAsString.withDefault(""),
};

/** The log lines of a run: filtered by level and text, copied and downloaded as they are filtered. */
export function LogsPanel({ run, logs }: { run: Pick<Run, "id" | "status">; logs: readonly TimelineEntry[] }) {
  const [{ level, find }, setFilter] = useQueryStates(filterParsers, { history: "replace" });
  const shown = useMemo(() => filterLogs(logs, { level, text: find }), [logs, level, find]);
  return (
    <>
      <PanelBar>
        <div className="w-full sm:w-64">
          <FilterInput
            label="Text in the logs"
            placeholder="Text in the logs"
            value={find}
            onChange={(text) => void setFilter({ find: text })}
          />
        </div>
        <Choice
          label="Log level"
          value={level}
          options={levelOptions}
          onChange={(value) => void setFilter({ level: value })}
        />
        <span role="status" className="text-s text-ink-3 tabular-nums">
          {shown.length === logs.length
            ? formatCount(logs.length, "line")
            : `${formatNumber(shown.length)} of ${formatCount(logs.length, "line")}`}
        </span>
        <span className="ml-auto flex gap-1">
          <CopyButton label="Copy these lines" text={() => printLogs(shown)} />
          <IconButton
            label="Download these lines"
            icon={Download}
            size="s"
            disabled={shown.length === 0}
            onClick={() => saveFile({ name: `${run.id}.log`, type: "text/plain", content: printLogs(shown) })}
          />
        </span>
      </PanelBar>
      {shown.length > 0 ? (
        <LogLines logs={shown} isGrowing={isOpen(run.status)} />
      ) : logs.length > 0 ? (
        <EmptyState title="No log line matches">Clear the text, or select another level.</EmptyState>
      ) : (
        <EmptyState title="No log lines">
          Lines that the code writes with <code>ctx.log.info()</code> appear here.
        </EmptyState>
      )}
    </>
  );
}

function LogLines({ logs, isGrowing }: { logs: readonly TimelineEntry[]; isGrowing: boolean }) {
  const { scroller, isAtEnd, onScroll, toEnd } = useFollowEnd(isGrowing);
  const [opened, setOpened] = useState<ReadonlySet<number>>(new Set());
  // oxlint-disable-next-line react/incompatible-library -- nothing of the virtualizer is handed on
  const virtual = useVirtualizer({
    count: logs.length,
    getScrollElement: () => scroller.current,
    estimateSize: () => rowHeight,
    getItemKey: (index) => logs[index]?.id ?? index,
    initialRect: firstWindow,
    overscan: 12,
  });
  const toggle = (id: number) =>
    setOpened((before) => new Set(before.has(id) ? [...before].filter((one) => one !== id) : [...before, id]));
  return (
    <div className="relative">
      {/* A scrolling region must be reachable by keyboard. */}
      <div
        ref={scroller}
        onScroll={onScroll}
        tabIndex={0}
        role="group"
        aria-label="Log lines"
        className="max-h-[min(66vh,760px)] overflow-x-hidden overflow-y-auto overscroll-contain -outline-offset-2 [overflow-anchor:none]"
      >
        <ol aria-label="Logs" className="relative my-1.5" style={{ height: virtual.getTotalSize() }}>
          {virtual.getVirtualItems().map((item) => {
            const log = logs[item.index];
            return (
              log && (
                <li
                  key={item.key}
                  ref={virtual.measureElement}
                  data-index={item.index}
                  aria-setsize={logs.length}
                  aria-posinset={item.index + 1}
                  className="absolute inset-x-0 top-0"
                  style={{ transform: `translateY(${item.start}px)` }}
                >
                  <LogLine log={log} isOpen={opened.has(log.id)} onToggle={() => toggle(log.id)} />
                </li>
              )
            );
          })}
        </ol>
      </div>
      {isGrowing && !isAtEnd && <FollowEndButton onClick={toEnd} />}
    </div>
  );
}

const maxInlineCharacters = 160;

function LogLine({ log, isOpen, onToggle }: { log: TimelineEntry; isOpen: boolean; onToggle: () => void }) {
  const level = log.level ?? "info";
  const data = log.data === null ? "" : JSON.stringify(log.data);
  const hasMore = data !== "" || (log.message ?? "").length > maxInlineCharacters;
  return (
    <div className="px-4 py-1 font-mono text-s hover:bg-sunken">
      <div className="grid grid-cols-[16px_auto_minmax(0,1fr)] gap-x-2 md:grid-cols-[16px_auto_auto_minmax(0,1fr)]">
        {hasMore ? (
          <button
            type="button"
            aria-expanded={isOpen}
            aria-label={`Details of line ${log.id}`}
            onClick={onToggle}
            className="grid h-5 cursor-pointer place-items-center rounded-s text-ink-3 hover:text-ink"
          >
            <ChevronRight aria-hidden size={12} className={isOpen ? "rotate-90" : ""} />
          </button>
        ) : (
          <span />
        )}
        <time dateTime={log.at} title={formatUtc(log.at)} className="hidden text-ink-3 tabular-nums md:block">
          {formatUtcTime(Date.parse(log.at))}
        </time>
        <span className={`w-[5ch] font-semibold ${levelTexts[level]}`}>{level}</span>
        <span
          className={`wrap-anywhere whitespace-pre-wrap ${isOpen ? "" : "line-clamp-3"} ${level === "error" ? "text-bad" : ""}`}
        >
          <PlainText text={log.message ?? ""} />{" "}
          {!isOpen && data !== "" && (
            <span className="text-ink-3">
              <PlainText text={data.length > maxInlineCharacters ? `${data.slice(0, maxInlineCharacters)}…` : data} />
            </span>
          )}
        </span>
      </div>
      {isOpen && data !== "" && (
        <div className="mt-1 mb-1.5 overflow-hidden rounded-m border bg-panel font-sans">
          <JsonView
            text={JSON.stringify(log.data)}
            label="Data of the log line"
            copyLabel="Copy the data"
            maxHeight={320}
          />
        </div>
      )}
    </div>
  );
}
