"use client";

import { useQuery } from "@tanstack/react-query";
import Link from "next/link";
import { type ReactNode, useMemo, useState } from "react";
import type { NamedStep } from "../../../server/contract/agent/conversation.ts";
import type { RunSummary } from "../../../server/contract/run.ts";
import { formatCount } from "../../../server/shared/format.ts";
import { useTRPC } from "../../trpc/trpc.ts";
import { ErrorNote, Skeleton } from "../../ui/states.tsx";
import { RevealedSteps } from "../detail/revealed-run.tsx";
import { useConversation, useTimeline } from "../detail/use-live-run.ts";
import { RowDetails } from "./row-details.tsx";
import { nameAgentRows } from "./row-labels.ts";
import type { TimeScale } from "./time-scale.ts";
import { indentOf, WaterfallRowLine } from "./waterfall-row.tsx";
import { readChild, toWaterfall, type WaterfallRow } from "./waterfall.ts";

/** A child has its own page for the rest. */
const maxRows = 50;

const noSteps: readonly NamedStep[] = [];

interface Props {
  row: WaterfallRow;
  /** 1: of a child run. 2: of a child of a child run. */
  level: number;
  scale: TimeScale;
  now: number;
  onPoint: (row: WaterfallRow) => void;
}

/**
 * The timeline of a child run, without its log lines, below the row of its call and on the same axis. A run that its
 * parent does not wait for may end after the axis: it has only its own page.
 */
export function ChildRows(props: Props) {
  const child = readChild(props.row);
  if (!child || props.row.spans.length === 0) return null;
  // The values that were revealed are those of the parent.
  return (
    <RevealedSteps value={null}>
      <ReadChild {...props} runId={child.runId} />
    </RevealedSteps>
  );
}

function ReadChild({ runId, ...props }: Props & { runId: string }) {
  const found = useQuery(useTRPC().runs.byIds.queryOptions({ ids: [runId] }));
  if (found.error && !found.data)
    return (
      <ErrorNote title="The child run could not be loaded" error={found.error} retry={() => void found.refetch()} />
    );
  if (!found.data) return <Loading />;
  const [run] = found.data;
  return run ? <RowsOfChild {...props} run={run} /> : <Note level={props.level}>The child run was deleted.</Note>;
}

function RowsOfChild({ run, level, scale, now, onPoint }: Omit<Props, "row"> & { run: RunSummary }) {
  const timeline = useTimeline(run);
  const steps = useConversation(run).data?.steps ?? noSteps;
  const [opened, setOpened] = useState<ReadonlySet<string>>(new Set());
  const [active, setActive] = useState<string | null>(null);
  const isExecuting = run.status === "running";
  const rows = useMemo(() => {
    const all = toWaterfall(timeline.data ?? [], { isExecuting }).filter(({ kind }) => kind !== "log");
    return nameAgentRows(all, steps);
  }, [timeline.data, isExecuting, steps]);
  if (timeline.error && !timeline.data)
    return (
      <ErrorNote
        title="The timeline could not be loaded"
        error={timeline.error}
        retry={() => void timeline.refetch()}
      />
    );
  if (!timeline.data) return <Loading />;
  return (
    <>
      <ol aria-label={`Timeline of the child run ${run.id}`} className="relative isolate">
        <li
          aria-hidden
          className="pointer-events-none absolute inset-y-1 -z-1 hidden w-px bg-line-strong md:block"
          style={{ left: `calc(1rem + 5px + ${indentOf(1, level - 1)})` }}
        />
        {rows.slice(0, maxRows).map((row) => {
          const isOpen = opened.has(row.key);
          return (
            <li key={row.key}>
              <WaterfallRowLine
                row={row}
                level={level}
                scale={scale}
                now={now}
                isOpen={isOpen}
                isTabStop={row.key === active}
                onToggle={() =>
                  setOpened(new Set(isOpen ? [...opened].filter((key) => key !== row.key) : [...opened, row.key]))
                }
                onPoint={() => onPoint(row)}
                onFocus={() => {
                  setActive(row.key);
                  onPoint(row);
                }}
              />
              {isOpen && (
                <>
                  <RowDetails runId={run.id} row={row} from={scale.from} now={now} />
                  <ChildRows row={row} level={level + 1} scale={scale} now={now} onPoint={onPoint} />
                </>
              )}
            </li>
          );
        })}
      </ol>
      {rows.length > maxRows && (
        <Note level={level}>
          <Link href={`/runs/${encodeURIComponent(run.id)}`} prefetch={false} className="text-accent hover:underline">
            Open the child run
          </Link>{" "}
          for {formatCount(rows.length - maxRows, "more row")}.
        </Note>
      )}
    </>
  );
}

function Loading() {
  return (
    <div role="status" aria-label="Loading the timeline of the child run" className="px-4 py-2">
      <Skeleton className="h-3.5 rounded-s" />
    </div>
  );
}

function Note({ level, children }: { level: number; children: ReactNode }) {
  return (
    <p className="px-4 py-1.5 text-s text-ink-2">
      <span style={{ paddingLeft: indentOf(1, level) }}>{children}</span>
    </p>
  );
}
