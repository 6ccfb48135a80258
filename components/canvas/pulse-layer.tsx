"use client";

import { ViewportPortal } from "@xyflow/react";
import { useSubscription } from "@trpc/tanstack-react-query";
import { useEffect, useRef } from "react";
import { useTRPC } from "../trpc/trpc.ts";
import type { Layout } from "./model/column-layout.ts";
import { edgePaths } from "./model/edge-paths.ts";
import { journeysOf } from "./model/journeys.ts";
import type { VisibleGraph } from "./model/visible-graph.ts";
import { sendDot } from "./send-dot.ts";

/** So many dots are under way at once; what arrives beyond them is counted on the edges all the same. */
const mostDots = 32;

/** Deliveries as they happen: a dot runs along the edges of each. Drawn by the browser's own animations; React draws nothing here. */
export function PulseLayer({ graph, places }: { graph: VisibleGraph; places: Layout }) {
  const trpc = useTRPC();
  const layer = useRef<HTMLDivElement>(null);
  const now = useRef({ graph, places });
  useEffect(() => {
    now.current = { graph, places };
  });
  useSubscription(
    trpc.canvas.pulses.subscriptionOptions(undefined, {
      onData: ({ deliveries }) => {
        const { current } = layer;
        if (!current || document.hidden) return;
        const paths = edgePaths(now.current.graph, now.current.places);
        for (const journey of journeysOf(now.current.graph, deliveries, mostDots - current.childElementCount)) sendDot(current, { journey, paths });
      },
    }),
  );
  return (
    <ViewportPortal>
      <div ref={layer} aria-hidden className="pointer-events-none absolute top-0 left-0" />
    </ViewportPortal>
  );
}
