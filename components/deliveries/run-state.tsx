"use client";

import { useQuery } from "@tanstack/react-query";
import { RunBadge } from "../runs/run-badge.tsx";
import { useTRPC } from "../trpc/trpc.ts";
import { ShortId } from "../ui/copy-button.tsx";

/** A run's id and its current status. */
export function RunState({ runId }: { runId: string }) {
  const trpc = useTRPC();
  const { data, error } = useQuery(trpc.runs.get.queryOptions({ id: runId }));
  return (
    <span className="inline-flex items-center gap-2 whitespace-nowrap">
      <ShortId id={runId} href={`/runs/${encodeURIComponent(runId)}`} />
      {data ? (
        <RunBadge run={data} />
      ) : (
        <span className="inline-block w-20 text-xs text-ink-3">{error ? "not available" : ""}</span>
      )}
    </span>
  );
}
