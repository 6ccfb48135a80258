"use client";

import { type Query, type QueryClient, useQueryClient } from "@tanstack/react-query";
import { useRouter } from "next/navigation";
import { createContext, type ReactNode, useContext, useEffect, useState } from "react";
import type { FeedData, Topic } from "../../server/contract/live.ts";
import type { RunStatus } from "../../server/contract/run.ts";
import { isEnded } from "../../server/shared/runs/run-state.ts";
import { useSignedOut } from "../trpc/use-signed-out.ts";
import { createLiveClient } from "./live-client.ts";
import type { StreamState } from "./live-hub.ts";
import { createPace, createRefresh } from "./refresh.ts";
import { readQueryKey } from "./topics.ts";
import { LiveClientContext } from "./use-feed.ts";

export type Liveness = "connecting" | "live" | "reconnecting" | "paused" | "signed-out";

/** After this time without a connection, the state is `paused`. */
const pausedAfterMs = 15_000;

/** A tab that is hidden for longer has no feeds. */
const hiddenAfterMs = 20_000;

const everyMs = 1_000;
/** One run is refetched more often. */
const runEveryMs = 250;

const LiveContext = createContext<Liveness>("connecting");

/** The state of the connection for live changes. */
export const useLiveness = () => useContext(LiveContext);

/**
 * Receives the topics of changes, and refetches their queries. It does so at once after a quiet period, at most once a
 * second (one run: four times), and not while the tab is hidden. A page that a link loads is refetched once, for what
 * happened since its render. A new build also rerenders the page on the server. `version`: the build of the rendered
 * page; `null`: not signed in, no updates.
 */
export function Live({ version, children }: { version: string | null; children: ReactNode }) {
  const router = useRouter();
  const queries = useQueryClient();
  const { isSignedOut, ask } = useSignedOut();
  const [state, setState] = useState<StreamState>("connecting");
  const [client] = useState(createLiveClient);
  const isEnabled = version !== null && !isSignedOut;
  useEffect(() => (isEnabled ? client.connect(setState) : undefined), [client, isEnabled]);

  const isShown = useShown();
  useEffect(() => client.pause(!isShown), [client, isShown]);
  // An error without a reason may be the end of the session.
  useEffect(() => {
    if (state === "lost") ask();
  }, [state, ask]);

  const poke = useRefresh(everyMs, (query) => !isOfRun(query));
  const pokeRun = useRefresh(runEveryMs, isOfRun);
  // What failed while the service did not respond is read again, also if nothing has changed.
  useEffect(() => {
    if (state !== "live") return;
    poke([]);
    pokeRun([]);
  }, [state, poke, pokeRun]);
  const [isStarted, setIsStarted] = useState(false);
  useEffect(() => {
    const onTopics = ({ topics, version: latest }: FeedData["topics"]) => {
      setIsStarted(true);
      if (latest !== version) router.refresh();
      poke(topics);
      pokeRun(topics);
    };
    const feed = client.subscribe({ kind: "topics", after: null, ...runsInSight(queries) }, onTopics);
    const stop = watchRunsInSight(queries, (runs) => feed.change({ kind: "topics", after: null, ...runs }));
    return () => {
      stop();
      feed.end();
    };
  }, [client, version, queries, router, poke, pokeRun]);

  const liveness = useLivenessOf(state === "live" && isStarted);
  return (
    <LiveContext value={isSignedOut ? "signed-out" : liveness}>
      <LiveClientContext value={client}>{children}</LiveClientContext>
    </LiveContext>
  );
}

const isOfRun = ({ queryKey }: Query) => ["runs.get", "runs.conversation"].includes(readQueryKey(queryKey).path);

/** The runs that the page shows, by whether they can still change by themselves. */
function runsInSight(queries: QueryClient): { openRuns: string[]; endedRuns: string[] } {
  const runs = new Map<string, boolean>();
  for (const query of queries.getQueryCache().findAll({ type: "active", predicate: isOfRun })) {
    const { path, input } = readQueryKey(query.queryKey);
    const data: unknown = path === "runs.get" ? query.state.data : null;
    const status: unknown = typeof data === "object" && data !== null ? Reflect.get(data, "status") : null;
    if (typeof input.id === "string")
      runs.set(input.id, runs.get(input.id) === true || (status !== null && isEnded(status as RunStatus)));
  }
  const ids = [...runs.keys()].sort().slice(0, maxRuns);
  return { openRuns: ids.filter((id) => !runs.get(id)), endedRuns: ids.filter((id) => runs.get(id)) };
}

const maxRuns = 100;

function watchRunsInSight(queries: QueryClient, onChange: (runs: ReturnType<typeof runsInSight>) => void): () => void {
  let known = JSON.stringify(runsInSight(queries));
  let timer: ReturnType<typeof setTimeout> | undefined;
  const look = () => {
    const runs = runsInSight(queries);
    if (JSON.stringify(runs) === known) return;
    known = JSON.stringify(runs);
    onChange(runs);
  };
  const stop = queries.getQueryCache().subscribe((event) => {
    if (!isOfRun(event.query)) return;
    clearTimeout(timer);
    timer = setTimeout(look);
  });
  return () => {
    clearTimeout(timer);
    stop();
  };
}

/** Refetches the queries that `isMine` selects, at most once in `everyMs`. */
function useRefresh(everyMs: number, isMine: (query: Query) => boolean): (topics: readonly Topic[]) => void {
  const queries = useQueryClient();
  const [{ refresh, pace, poke }] = useState(() => {
    const refresh = createRefresh(queries, isMine);
    const pace = createPace({ action: refresh.run, everyMs });
    const poke = (topics: readonly Topic[]) => {
      refresh.changed(topics);
      pace.poke();
    };
    return { refresh, pace, poke };
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
  return poke;
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
function livenessOf(connection: { isConnected: boolean; lostForMs: number | null }): Exclude<Liveness, "signed-out"> {
  if (connection.isConnected) return "live";
  if (connection.lostForMs === null) return "connecting";
  return connection.lostForMs < pausedAfterMs ? "reconnecting" : "paused";
}
