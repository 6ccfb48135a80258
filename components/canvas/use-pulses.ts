"use client";

import { useEffect, useEffectEvent } from "react";
import { useTRPCClient } from "../trpc/trpc.ts";
import type { Pulse } from "./model/journeys.ts";

const retryMs = 2_000;

/** Subscribes to new deliveries while the tab is visible: a browser opens at most six streams to one service. */
export function usePulses(onPulses: (deliveries: readonly Pulse[]) => void): void {
  const client = useTRPCClient();
  const handlePulses = useEffectEvent(onPulses);
  useEffect(() => {
    const stream = keepStream((over) =>
      client.canvas.pulses.subscribe(undefined, {
        onData: ({ deliveries }) => handlePulses(deliveries),
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

/** A stream that reconnects after it ends, for example when the service stops. */
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
