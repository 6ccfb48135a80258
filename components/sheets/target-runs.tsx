"use client";

import { useQuery } from "@tanstack/react-query";
import Link from "next/link";
import type { RunSummary } from "../../server/contract/run.ts";
import type { Target } from "../../server/contract/target.ts";
import { visibleText } from "../../server/domain/schema/visible-text.ts";
import { useTRPC } from "../trpc/trpc.ts";
import { Elapsed } from "../ui/elapsed.tsx";
import { RelativeTime } from "../ui/relative-time.tsx";
import { RunBadge } from "../runs/run-badge.tsx";
import { DurationStrip } from "./duration-strip.tsx";
import { SheetSection } from "./sheet-frame.tsx";
import { EmptyNote, SheetList } from "./sheet-list.tsx";
import { SheetLink } from "./sheet-link.tsx";

/** The last runs with their status and duration. */
export function TargetRuns({ target }: { target: Target }) {
  const trpc = useTRPC();
  const recent = useQuery(trpc.runs.list.queryOptions({ target: target.slug, targetKind: target.kind, limit: 40 }));
  return (
    <>
      <SheetSection title="Durations" note="oldest on the left">
        {recent.data ? (
          <DurationStrip runs={recent.data.data} />
        ) : (
          <div className="h-16 animate-pulse rounded-m bg-sunken" />
        )}
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
        <SheetLink node={{ kind: target.kind, id: target.slug }} tab="run" className="text-accent hover:underline">
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
