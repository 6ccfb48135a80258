"use client";

import { useReactFlow, useStore } from "@xyflow/react";
import { useCallback, useEffect } from "react";
import type { Layout } from "./model/column-layout.ts";
import { boxOf, isInWindow } from "./model/viewports.ts";
import type { VisibleGraph } from "./model/visible-graph.ts";

/** Reports the visible nodes after each move of the viewport, so that only their traffic is loaded. */
export function useSeen(p: {
  graph: VisibleGraph;
  positions: Layout;
  onSeen: (ids: readonly string[]) => void;
}): () => void {
  const { graph, positions, onSeen } = p;
  const { getViewport } = useReactFlow();
  const width = useStore((state) => state.width);
  const height = useStore((state) => state.height);
  const look = useCallback(() => {
    if (width === 0) return;
    const view = { viewport: getViewport(), frame: { width, height } };
    onSeen(
      graph.nodes.flatMap((node) => {
        const box = boxOf(node, positions);
        return box && isInWindow(box, view) ? [node.id] : [];
      }),
    );
  }, [graph, positions, onSeen, getViewport, width, height]);
  useEffect(look, [look]);
  return look;
}
