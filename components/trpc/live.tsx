"use client";

import { type Query, useQueryClient } from "@tanstack/react-query";
import { useSubscription } from "@trpc/tanstack-react-query";
import { useRouter } from "next/navigation";
import { createContext, type ReactNode, useContext, useEffect, useState } from "react";
import { createPace, createRefresh } from "./refresh.ts";
import { useTRPC } from "./trpc.ts";
import { useSignedOut } from "./use-signed-out.ts";

export type Liveness = "connecting" | "live" | "reconnecting" | "paused" | "signed-out";

/** After this time without a connection, the state is `paused`. */
const pausedAfterMs = 15_000;

/** A tab that is hidden for longer closes its connection: a browser has only six for all tabs. */
const hiddenAfterMs = 20_000;

const everyMs = 1_000;
/** Live answers of a model are refetched more often. */
const traceEveryMs = 250;
const retryMs = 2_000;

const LiveContext = createContext<Liveness>("connecting");

/** The state of the connection for live changes. */
export const useLiveness = () => useContext(LiveContext);

/**
 * Subscribes to `changes` and refetches the queries of the page: at once after a quiet period, at most once a second,
 * and not while the tab is hidden. A page that a link loads is refetched once, for what happened since its render.
 * Agent traces are refetched more often, and alone if only a live answer changed. A new build also rerenders the page
 * on the server. `version`: the build of the rendered page; `null`: not signed in, no updates.
 */
export function Live({ version, children }: { version: string | null; children: ReactNode }) {
  const trpc = useTRPC();
  const router = useRouter();
  const traces = trpc.runs.conversation.pathKey()[0];
  const isTrace = ({ queryKey: [path] }: Query) => JSON.stringify(path) === JSON.stringify(traces);
  const poke = useRefresh(everyMs, (query) => !isTrace(query));
  const pokeTraces = useRefresh(traceEveryMs, isTrace);
  const { isSignedOut, ask } = useSignedOut();
  const isEnabled = useShown() && version !== null && !isSignedOut;

  // `onStarted` is called on every connection: changes without a connection were missed, so refetch. The build follows at once.
  const [latest, setLatest] = useState(version);
  const onData = (news: { version: string; isLiveOnly: boolean }) => {
    if (news.version !== version) router.refresh();
    setLatest(news.version);
    pokeTraces(news.version !== latest);
    if (!news.isLiveOnly) poke(news.version !== latest);
  };
  const onStarted = () => {
    poke(false);
    pokeTraces(false);
  };
  const { status, reset } = useSubscription(
    trpc.changes.subscriptionOptions(undefined, { enabled: isEnabled, onStarted, onData }),
  );
  // The server ends the stream when it stops, and a failed connection is not retried: reconnect until it is back.
  const isOver = isEnabled && (status === "idle" || status === "error");
  useEffect(() => {
    if (!isOver) return;
    ask();
    const timer = setInterval(reset, retryMs);
    return () => clearInterval(timer);
  }, [isOver, reset, ask]);
  const liveness = useLivenessOf(status === "pending");
  return <LiveContext value={isSignedOut ? "signed-out" : liveness}>{children}</LiveContext>;
}

/** Refetches the queries that `isMine` selects, at most once in `everyMs`. */
function useRefresh(everyMs: number, isMine: (query: Query) => boolean): (isOtherBuild: boolean) => void {
  const queries = useQueryClient();
  const [{ refresh, pace }] = useState(() => {
    const refresh = createRefresh(queries, isMine);
    return { refresh, pace: createPace({ action: refresh.run, everyMs }) };
  });
  useEffect(() => {
    const update = () => pace.hold(document.visibilityState === "hidden");
    update();
    document.addEventListener("visibilitychange", update);
    const ignoreRendered = refresh.onRendered(() => pace.poke());
    return () => {
      ignoreRendered();
      document.removeEventListener("visibilitychange", update);
      pace.stop();
    };
  }, [pace, refresh]);
  return (isOtherBuild) => {
    refresh.changed(isOtherBuild);
    pace.poke();
  };
}

function useLivenessOf(isConnected: boolean): Liveness {
  const [wasLive, setWasLive] = useState(false);
  const [isLong, setIsLong] = useState(false);
  if (isConnected && (!wasLive || isLong)) {
    setWasLive(true);
    setIsLong(false);
  }
  useEffect(() => {
    if (isConnected || !wasLive) return;
    const timer = setTimeout(() => setIsLong(true), pausedAfterMs);
    return () => clearTimeout(timer);
  }, [isConnected, wasLive]);
  return livenessOf({ isConnected, lostForMs: wasLive ? (isLong ? pausedAfterMs : 0) : null });
}

/** Whether the tab is visible, or was visible shortly before. */
function useShown(): boolean {
  const [isShown, setIsShown] = useState(true);
  useEffect(() => {
    let timer: ReturnType<typeof setTimeout> | undefined;
    const update = () => {
      clearTimeout(timer);
      if (document.visibilityState === "visible") setIsShown(true);
      else timer = setTimeout(() => setIsShown(false), hiddenAfterMs);
    };
    document.addEventListener("visibilitychange", update);
    return () => {
      clearTimeout(timer);
      document.removeEventListener("visibilitychange", update);
    };
  }, []);
  return isShown;
}

/** The state shown in the header. `lostForMs`: the time without a connection; `null`: never connected. */
function livenessOf(p: { isConnected: boolean; lostForMs: number | null }): Exclude<Liveness, "signed-out"> {
  if (p.isConnected) return "live";
  if (p.lostForMs === null) return "connecting";
  return p.lostForMs < pausedAfterMs ? "reconnecting" : "paused";
}
