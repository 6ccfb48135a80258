"use client";

import { ViewportPortal } from "@xyflow/react";
import { useRef } from "react";
import type { Layout } from "./model/column-layout.ts";
import { edgePaths } from "./model/edge-paths.ts";
import { journeysOf, type Pulse } from "./model/journeys.ts";
import type { VisibleGraph } from "./model/visible-graph.ts";
import { sendDot } from "./send-dot.ts";
import { usePulses } from "./use-pulses.ts";

/** Maximum number of moving dots. Further deliveries are still counted on the edges. */
const maxDots = 32;

/** Shows new deliveries as dots that move along their edges. Uses Web Animations, without React rendering. */
export function PulseLayer({ graph, positions }: { graph: VisibleGraph; positions: Layout }) {
  const layer = useRef<HTMLDivElement>(null);
  usePulses((deliveries: readonly Pulse[]) => {
    const { current } = layer;
    if (!current) return;
    const paths = edgePaths(graph, positions).byId;
    for (const journey of journeysOf(graph, deliveries, maxDots - current.childElementCount))
      sendDot(current, { journey, paths });
  });
  return (
    <ViewportPortal>
      <div ref={layer} aria-hidden className="pointer-events-none absolute top-0 left-0" />
    </ViewportPortal>
  );
}
