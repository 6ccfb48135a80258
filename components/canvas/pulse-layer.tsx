"use client";

import { ViewportPortal } from "@xyflow/react";
import { useRef } from "react";
import type { Layout } from "./model/column-layout.ts";
import { edgePaths } from "./model/edge-paths.ts";
import { journeysOf, type Pulse } from "./model/journeys.ts";
import type { VisibleGraph } from "./model/visible-graph.ts";
import { sendDot } from "./send-dot.ts";
import { usePulses } from "./use-pulses.ts";

/** So many dots are under way at once; what arrives beyond them is counted on the edges all the same. */
const maxDots = 32;

/**
 * Deliveries as they happen: a dot runs along the edges of each. Drawn by the browser's own animations; React draws
 * nothing here.
 */
export function PulseLayer({ graph, places }: { graph: VisibleGraph; places: Layout }) {
  const layer = useRef<HTMLDivElement>(null);
  usePulses((deliveries: readonly Pulse[]) => {
    const { current } = layer;
    if (!current) return;
    const paths = edgePaths(graph, places).byId;
    for (const journey of journeysOf(graph, deliveries, maxDots - current.childElementCount))
      sendDot(current, { journey, paths });
  });
  return (
    <ViewportPortal>
      <div ref={layer} aria-hidden className="pointer-events-none absolute top-0 left-0" />
    </ViewportPortal>
  );
}
