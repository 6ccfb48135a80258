"use client";

import { createContext, useContext, useEffect, useEffectEvent } from "react";
import type { FeedData, FeedKind } from "../../server/contract/live.ts";
import type { FeedParams, LiveClient } from "./live-client.ts";

/** `null`: outside of `Live`, there is no live data. */
export const LiveClientContext = createContext<LiveClient | null>(null);

/** Receives the events of a feed while the component is mounted. `null`: no feed. `after` counts when it begins. */
export function useFeed<Kind extends FeedKind>(
  feed: (FeedParams & { kind: Kind }) | null,
  onEvent: (data: FeedData[Kind]) => void,
): void {
  const client = useContext(LiveClientContext);
  const handle = useEffectEvent(onEvent);
  const begin = useEffectEvent(() => feed && client?.subscribe(feed, handle));
  const key = feed && JSON.stringify({ ...feed, after: null });
  useEffect(() => {
    if (key === null) return;
    const open = begin();
    return () => open?.end();
  }, [key]);
}
