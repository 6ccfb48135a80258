"use client";

import { useQuery } from "@tanstack/react-query";
import { useMemo } from "react";
import { useTRPC } from "../trpc/trpc.ts";

/** The agents of the current build. */
export function useAgentNames(): ReadonlySet<string> {
  const trpc = useTRPC();
  const targets = useQuery(trpc.triggers.names.queryOptions()).data?.targets;
  return useMemo(() => new Set(targets?.flatMap(({ kind, slug }) => (kind === "agent" ? [slug] : []))), [targets]);
}
