"use client";

import { useEffect, useEffectEvent } from "react";
import { useTRPCClient } from "../trpc/trpc.ts";
import type { Pulse } from "./model/journeys.ts";

const retryMs = 2_000;

/** Hears of deliveries as they arrive, while the tab is looked at: a browser opens only six streams to one service. */
export function usePulses(onPulses: (deliveries: readonly Pulse[]) => void): void {
  const client = useTRPCClient();
  const tell = useEffectEvent(onPulses);
  useEffect(() => {
    const stream = keepStream((over) =>
      client.canvas.pulses.subscribe(undefined, {
        onData: ({ deliveries }) => tell(deliveries),
        onComplete: over,
        onError: over,
      }),
    );
    const update = () => stream.want(document.visibilityState === "visible");
    update();
    document.addEventListener("visibilitychange", update);
    return () => {
      document.removeEventListener("visibilitychange", update);
      stream.want(false);
    };
  }, [client]);
}

/** A stream that is opened again after it ended: the service closes it when it stops. */
function keepStream(open: (over: () => void) => { unsubscribe: () => void }): { want(isWanted: boolean): void } {
  let stream: { unsubscribe: () => void } | null = null;
  let retry: ReturnType<typeof setTimeout> | undefined;
  const start = () => {
    stream = open(() => {
      clearTimeout(retry);
      retry = setTimeout(start, retryMs);
    });
  };
  return {
    want(isWanted) {
      if (isWanted === (stream !== null)) return;
      if (isWanted) {
        start();
        return;
      }
      clearTimeout(retry);
      stream?.unsubscribe();
      stream = null;
    },
  };
}
