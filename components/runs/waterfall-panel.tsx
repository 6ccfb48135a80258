"use client";

import { useEffect, useMemo, useState } from "react";
import type { AgentTrace } from "../../server/contract/agent/trace.ts";
import type { Run } from "../../server/contract/run.ts";
import type { TimelineEntry } from "../../server/contract/timeline.ts";
import { formatDuration } from "../../server/domain/format.ts";
import { Panel } from "../ui/page-layout.tsx";
import { Segmented } from "../ui/choice.tsx";
import { isOpen } from "../ui/statuses.ts";
import { useNow } from "../ui/time.tsx";
import { nameAgentRows } from "./agent/name-rows.ts";
import { groupRows, type LogFilter, type ShownRow } from "./group-rows.ts";
import { offsetOf, timesOf } from "./row-words.ts";
import { timeScale } from "./time-scale.ts";
import { WaterfallList } from "./waterfall-list.tsx";
import { toWaterfall } from "./waterfall.ts";

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
  trace: AgentTrace | undefined;
}

/** The timeline of a run, to scale. */
export function WaterfallPanel({ run, entries, trace }: Props) {
  const [logs, setLogs] = useState<LogFilter>("all");
  const [opened, setOpened] = useState<ReadonlySet<string>>(new Set());
  const [pointed, setPointed] = useState<ShownRow | null>(null);
  const isGrowing = isOpen(run.status);
  const isExecuting = run.status === "running";
  const clock = useOpenNow(isGrowing);
  const isAgent = run.target.kind === "agent";
  const plain = useMemo(() => toWaterfall(entries, { isExecuting }), [entries, isExecuting]);
  const rows = useMemo(() => (isAgent ? nameAgentRows(plain, trace) : plain), [plain, isAgent, trace]);
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
function useOpenNow(isOpen: boolean): number {
  const second = useNow();
  const [fine, setFine] = useState(0);
  useEffect(() => {
    if (!isOpen) return;
    const timer = setInterval(() => setFine(Date.now()), tickMs);
    return () => clearInterval(timer);
  }, [isOpen]);
  return Math.max(second, fine);
}
