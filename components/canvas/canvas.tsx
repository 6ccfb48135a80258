"use client";

import { ReactFlowProvider } from "@xyflow/react";
import "@xyflow/react/dist/base.css";
import { CanvasSkeleton, FirstDelivery, NoMatches } from "./canvas-states.tsx";
import { FlowPlane } from "./plane/flow-plane.tsx";
import { Toolbar, type ToolbarProps } from "./toolbar/toolbar.tsx";
import { useCanvas } from "./use-canvas.ts";

/** The canvas: source → trigger → target. Rendered only in the browser, because it needs its size and its storage. */
export function Canvas({ filter }: ToolbarProps) {
  const graph = useCanvas((state) => state.arranged?.graph);
  return (
    <ReactFlowProvider>
      <Toolbar filter={filter} />
      {graph ? <FlowPlane graph={graph} /> : <CanvasSkeleton />}
      <NoMatches filter={filter} />
      <FirstDelivery />
    </ReactFlowProvider>
  );
}
