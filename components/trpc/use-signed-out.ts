"use client";

import { type QueryClient, useQueryClient } from "@tanstack/react-query";
import { useCallback, useEffect, useState } from "react";
import { problemOf } from "./problem-of.ts";
import { useTRPC } from "./trpc.ts";

/**
 * Whether the service said of late that nobody is signed in any more: the token was revoked or has expired, or somebody
 * signed out in another tab. `ask` finds out, where something was refused that does not say why.
 */
export function useSignedOut(): { isSignedOut: boolean; ask: () => void } {
  const trpc = useTRPC();
  const queries = useQueryClient();
  const [isSignedOut, setIsSignedOut] = useState(false);
  useEffect(() => listenToAnswers(queries, setIsSignedOut), [queries]);
  const ask = useCallback(() => {
    // The answer is heard above.
    void queries.fetchQuery({ ...trpc.access.queryOptions(), staleTime: 0, retry: false }).catch(() => {});
  }, [queries, trpc]);
  return { isSignedOut, ask };
}

/** Hears of every answer of the service, to queries and to actions: whether it says that nobody is signed in. */
export function listenToAnswers(queries: QueryClient, tell: (isOut: boolean) => void): () => void {
  const hear = (action: { type: string; error?: unknown; manual?: boolean | undefined }) => {
    if (action.type === "error") {
      if (problemOf(action.error).code === "unauthorized") tell(true);
    } else if (action.type === "success" && !action.manual) tell(false);
  };
  const ends = [
    queries.getQueryCache().subscribe((event) => event.type === "updated" && hear(event.action)),
    queries.getMutationCache().subscribe((event) => event.type === "updated" && hear(event.action)),
  ];
  return () => {
    for (const end of ends) end();
  };
}
