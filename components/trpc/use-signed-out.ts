"use client";

import { type QueryClient, useQueryClient } from "@tanstack/react-query";
import { useCallback, useEffect, useState } from "react";
import { problemOf } from "../ui/problem-of.ts";
import { useTRPC } from "./trpc.ts";

/**
 * Whether the last response said that the session has ended: the token was revoked or has expired, or the person signed
 * out in another tab. `ask` checks it after an error without a reason.
 */
export function useSignedOut(): { isSignedOut: boolean; ask: () => void } {
  const trpc = useTRPC();
  const queries = useQueryClient();
  const [isSignedOut, setIsSignedOut] = useState(false);
  useEffect(() => listenToAnswers(queries, setIsSignedOut), [queries]);
  const ask = useCallback(() => {
    // `listenToAnswers` handles the result.
    void queries.fetchQuery({ ...trpc.access.queryOptions(), staleTime: 0, retry: false }).catch(() => {});
  }, [queries, trpc]);
  return { isSignedOut, ask };
}

/** Reports after every response, to queries and mutations, whether it says that the session has ended. */
export function listenToAnswers(queries: QueryClient, onChange: (isOut: boolean) => void): () => void {
  const handle = (action: { type: string; error?: unknown; manual?: boolean | undefined }) => {
    if (action.type === "error") {
      if (problemOf(action.error).code === "unauthorized") onChange(true);
    } else if (action.type === "success" && !action.manual) onChange(false);
  };
  const ends = [
    queries.getQueryCache().subscribe((event) => event.type === "updated" && handle(event.action)),
    queries.getMutationCache().subscribe((event) => event.type === "updated" && handle(event.action)),
  ];
  return () => {
    for (const end of ends) end();
  };
}
