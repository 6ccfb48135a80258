"use client";

import { skipToken, useQuery } from "@tanstack/react-query";
import { useEffect, useRef } from "react";
import type { Run } from "../../../server/contract/run.ts";
import { useTRPC } from "../../trpc/trpc.ts";
import { isOpen } from "../../ui/statuses.ts";

/** The trace of an agent run, live until the run has ended. Not loaded for workflows. */
export function useAgentTrace(run: Pick<Run, "id" | "status" | "target">) {
  const trpc = useTRPC();
  const isAgent = run.target.kind === "agent";
  const isLive = isOpen(run.status);
  const trace = useQuery({
    ...trpc.runs.agent.queryOptions(isAgent ? { id: run.id } : skipToken),
    meta: { live: isLive },
  });
  // A trace loaded while the run ended may lack its last step.
  const wasLive = useRef(isLive);
  const { refetch } = trace;
  useEffect(() => {
    if (isAgent && wasLive.current && !isLive) void refetch();
    wasLive.current = isLive;
  }, [isAgent, isLive, refetch]);
  return trace;
}
