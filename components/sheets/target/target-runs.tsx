"use client";

import { useQuery } from "@tanstack/react-query";
import Link from "next/link";
import type { RunSummary } from "../../../server/contract/run.ts";
import type { Target } from "../../../server/contract/project/target.ts";
import { formatDuration } from "../../../server/shared/format.ts";
import { visibleText } from "../../../server/shared/schema/visible-text.ts";
import { RunBadge } from "../../runs/run-badge.tsx";
import { useTRPC } from "../../trpc/trpc.ts";
import { Elapsed, RelativeTime } from "../../ui/time.tsx";
import { runStatuses } from "../../ui/statuses.ts";
import { durationBars } from "./duration-bars.ts";
import { SheetSection } from "../frame/sheet-frame.tsx";
import { SheetLink } from "../frame/sheet-link.tsx";
import { EmptyNote, Skeleton } from "../../ui/states.tsx";
import { SheetList } from "../frame/sheet-list.tsx";

/** The last runs with their status and duration. */
export function TargetRuns({ target }: { target: Target }) {
  const trpc = useTRPC();
  const recent = useQuery(trpc.runs.list.queryOptions({ target: target.slug, targetKind: target.kind, limit: 40 }));
  return (
    <>
      <SheetSection title="Durations" note="oldest on the left">
        {recent.data ? <DurationStrip runs={recent.data.data} /> : <Skeleton className="h-16 rounded-m" />}
      </SheetSection>
      <SheetSection
        title="Recent runs"
        note={
          <Link href={`/runs?target=${encodeURIComponent(target.slug)}`} className="text-accent hover:underline">
            All
          </Link>
        }
      >
        <SheetList query={recent} noun="runs" rows={8} empty={<NoRuns target={target} />}>
          {(runs) => <RunRows runs={runs.slice(0, 20)} />}
        </SheetList>
      </SheetSection>
    </>
  );
}

function NoRuns({ target }: { target: Target }) {
  return (
    <EmptyNote title="No runs yet">
      <p>
        This {target.kind} runs when a trigger fires. You can also{" "}
        <SheetLink node={{ kind: target.kind, id: target.slug }} tab="run" className="text-accent underline">
          run it now
        </SheetLink>
        .
      </p>
    </EmptyNote>
  );
}

function RunRows({ runs }: { runs: readonly RunSummary[] }) {
  return (
    <ul aria-label="Recent runs" className="divide-y overflow-hidden rounded-m border">
      {runs.map((run) => (
        <li key={run.id} className="border-line">
          <Link
            href={`/runs/${encodeURIComponent(run.id)}`}
            prefetch={false}
            title={run.id}
            className="grid min-h-9 grid-cols-[auto_minmax(0,1fr)_auto_auto] items-center gap-2.5 px-2.5 py-1.5 -outline-offset-2 hover:bg-sunken"
          >
            <RunBadge run={run} />
            <span className="truncate text-s text-ink-2">
              {run.error ? visibleText(run.error.message, 200) : (run.trigger ?? run.startedBy)}
            </span>
            <span className="text-s">
              <Elapsed from={run.startedAt} to={run.finishedAt} />
            </span>
            <span className="w-16 text-right text-s text-ink-3">
              <RelativeTime iso={run.createdAt} />
            </span>
          </Link>
        </li>
      ))}
    </ul>
  );
}

/** Bars with the durations of the last runs. Failed runs differ in colour and shape. */
function DurationStrip({ runs }: { runs: readonly RunSummary[] }) {
  const bars = durationBars(runs);
  const longest = bars.reduce((max, { ms }) => Math.max(max, ms), 0);
  if (bars.length === 0) return <p className="flex h-16 items-center text-s text-ink-3">No ended runs yet.</p>;
  return (
    <div>
      <ul aria-label="Durations of the last runs" className="flex h-16 items-end gap-px border-b">
        {bars.map(({ id, status, ms, height }) => {
          const style = runStatuses[status];
          const label = `${style.label}, ${formatDuration(ms)}`;
          return (
            <li key={id} className="h-full max-w-3 min-w-0 flex-1">
              <Link
                href={`/runs/${encodeURIComponent(id)}`}
                prefetch={false}
                aria-label={label}
                title={label}
                className="group flex h-full items-end -outline-offset-1"
              >
                <span
                  className={`block w-full group-hover:opacity-100 ${style.tone === "bad" ? "rounded-none border-t-2 border-bad bg-bad-soft" : style.tone === "ok" ? "rounded-t-[2px] bg-accent opacity-55" : "rounded-t-[2px] bg-idle opacity-55"}`}
                  style={{ height: `${height * 100}%` }}
                />
              </Link>
            </li>
          );
        })}
      </ul>
      <p className="mt-1 text-xs text-ink-3">longest: {formatDuration(longest)}</p>
    </div>
  );
}
