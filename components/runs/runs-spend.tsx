"use client";

import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { Coins } from "lucide-react";
import { useTRPC } from "../trpc/trpc.ts";
import { isOfAgents, type RunFilter } from "./run-filters.ts";
import { saySpend } from "./say-spend.ts";
import { useAgentNames } from "./use-agent-names.ts";

/** The total usage of the filtered runs, if the filter selects runs of agents. */
export function RunsSpend({ filter }: { filter: RunFilter }) {
  const trpc = useTRPC();
  const agents = useAgentNames();
  const isShown = isOfAgents(filter) || (filter.target !== undefined && agents.has(filter.target));
  const usage = useQuery(
    trpc.runs.usage.queryOptions(filter, { enabled: isShown, placeholderData: keepPreviousData }),
  ).data;
  if (!isShown) return null;
  return (
    <p
      role="status"
      aria-label="Usage of these runs"
      className="mb-2 flex min-h-5 items-center gap-1.5 text-ink-2 tabular-nums"
    >
      {usage && (
        <>
          <Coins aria-hidden size={14} className="shrink-0 text-ink-3" />
          {saySpend(usage)}
        </>
      )}
    </p>
  );
}
