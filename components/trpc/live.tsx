"use client";

import { type Query, useQueryClient } from "@tanstack/react-query";
import { useSubscription } from "@trpc/tanstack-react-query";
import { useRouter } from "next/navigation";
import { type ReactNode, createContext, useContext, useEffect, useState } from "react";
import { createRefresh } from "./create-refresh.ts";
import { type Liveness, livenessOf, pausedAfterMs } from "./liveness.ts";
import { createPace } from "./pace.ts";
import { useTRPC } from "./trpc.ts";
import { useShown } from "./use-shown.ts";
import { useSignedOut } from "./use-signed-out.ts";

const everyMs = 1_000;
/** Who reads along while a model speaks sees it word by word. */
const speechEveryMs = 250;
const retryMs = 2_000;

const LiveContext = createContext<Liveness>("connecting");

/** Whether the page hears of changes at once. */
export const useLiveness = () => useContext(LiveContext);

/**
 * Listens to `changes` and has what the page shows read again: at once after quiet, at most once a second in a storm,
 * not at all while the tab is hidden. What an agent does is read more often, and alone where nothing has changed but
 * what its model is just saying. Another build of the project has the page's frame drawn again too. `version` is the
 * one it was drawn with; `null`: who asks may not know the project, and hears nothing.
 */
export function Live({ version, children }: { version: string | null; children: ReactNode }) {
  const trpc = useTRPC();
  const router = useRouter();
  const speech = trpc.runs.agent.pathKey()[0];
  const isSpeech = ({ queryKey: [path] }: Query) => JSON.stringify(path) === JSON.stringify(speech);
  const poke = useRefresh(everyMs, (query) => !isSpeech(query));
  const pokeSpeech = useRefresh(speechEveryMs, isSpeech);
  const { isSignedOut, ask } = useSignedOut();
  const isEnabled = useShown() && version !== null && !isSignedOut;

  // `onStarted` comes on every connection: what happened while there was none was missed, so read again. Which build it is comes at once, too.
  const [heard, setHeard] = useState(version);
  const onData = (news: { version: string; isLiveOnly: boolean }) => {
    if (news.version !== version) router.refresh();
    setHeard(news.version);
    pokeSpeech(news.version !== heard);
    if (!news.isLiveOnly) poke(news.version !== heard);
  };
  const onStarted = () => {
    poke(false);
    pokeSpeech(false);
  };
  const { status, reset } = useSubscription(
    trpc.changes.subscriptionOptions(undefined, { enabled: isEnabled, onStarted, onData }),
  );
  // The service ends the stream when it stops, and a refused connection is given up: ask again until it is back.
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

/** What reads the page's queries again, or some of them, at a calm pace. */
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
    return () => {
      document.removeEventListener("visibilitychange", update);
      pace.stop();
    };
  }, [pace]);
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
