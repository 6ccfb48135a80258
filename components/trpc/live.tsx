"use client";

import { useQueryClient } from "@tanstack/react-query";
import { useSubscription } from "@trpc/tanstack-react-query";
import { useRouter } from "next/navigation";
import { type ReactNode, createContext, useContext, useEffect, useState } from "react";
import { useTRPC } from "./trpc.ts";

const gatherMs = 200;
const retryMs = 2_000;

const LiveContext = createContext<"live" | "connecting" | "lost">("connecting");

/** Whether the page hears of changes at once. */
export const useLiveness = () => useContext(LiveContext);

/**
 * Listens to `changes` and has every list on the page read again. A burst of changes counts as one. Another build of the project has the
 * page's frame drawn again too. `version` is the one it was drawn with; `null`: who asks may not know the project, and hears nothing.
 */
export function Live({ version, children }: { version: string | null; children: ReactNode }) {
  const trpc = useTRPC();
  const router = useRouter();
  const isEnabled = version !== null;
  const queries = useQueryClient();
  const [refresh] = useState(() => gatherCalls(() => void queries.invalidateQueries(), gatherMs));

  // `onStarted` comes on every connection: what happened while there was none was missed, so read again.
  const onData = (news: { version: string }) => {
    if (news.version !== version) router.refresh();
    refresh();
  };
  const { status, reset } = useSubscription(trpc.changes.subscriptionOptions(undefined, { enabled: isEnabled, onStarted: refresh, onData }));
  // The service ends the stream when it stops, and a refused connection is given up: ask again until it is back.
  const isOver = isEnabled && (status === "idle" || status === "error");
  useEffect(() => {
    if (!isOver) return;
    const timer = setInterval(reset, retryMs);
    return () => clearInterval(timer);
  }, [isOver, reset]);
  const liveness = status === "pending" ? "live" : isOver ? "lost" : "connecting";
  return <LiveContext value={liveness}>{children}</LiveContext>;
}

/** However often it is called, `action` comes once, `ms` after the first call. */
function gatherCalls(action: () => void, ms: number): () => void {
  let timer: ReturnType<typeof setTimeout> | null = null;
  return () => {
    timer ??= setTimeout(() => {
      timer = null;
      action();
    }, ms);
  };
}
