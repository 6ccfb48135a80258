"use client";

import { useQueryClient } from "@tanstack/react-query";
import { useSubscription } from "@trpc/tanstack-react-query";
import { type ReactNode, createContext, useCallback, useContext, useEffect, useRef } from "react";
import { useTRPC } from "./trpc.ts";

const gatherMs = 200;

const LiveContext = createContext<"live" | "connecting" | "lost">("connecting");

/** Whether the page hears of changes at once. */
export const useLiveness = () => useContext(LiveContext);

/** Listens to the `changes` of the store and has every list on the page read again. A burst of changes counts as one. */
export function Live({ children }: { children: ReactNode }) {
  const trpc = useTRPC();
  const queries = useQueryClient();
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined);
  const refresh = useCallback(() => {
    if (timer.current !== undefined) return;
    timer.current = setTimeout(() => {
      timer.current = undefined;
      void queries.invalidateQueries();
    }, gatherMs);
  }, [queries]);
  useEffect(() => () => clearTimeout(timer.current), []);

  // `onStarted` comes on every connection: what happened while there was none was missed, so read again.
  const { status } = useSubscription(trpc.changes.subscriptionOptions(undefined, { onStarted: refresh, onData: refresh }));
  const liveness = status === "pending" ? "live" : status === "error" ? "lost" : "connecting";
  return <LiveContext value={liveness}>{children}</LiveContext>;
}
