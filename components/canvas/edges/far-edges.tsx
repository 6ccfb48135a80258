"use client";

import { ViewportPortal } from "@xyflow/react";
import { useMemo } from "react";
import type { Layout } from "../model/column-layout.ts";
import { edgePaths } from "../model/edge-paths.ts";
import type { VisibleGraph } from "../model/visible-graph.ts";

/** Edges per SVG path. The browser skips paths outside the view. */
const edgesPerPath = 100;

/** The edges when zoomed out: a few long paths instead of thousands of elements. */
export function FarEdges({
  graph,
  positions,
  matchingIds,
}: {
  graph: VisibleGraph;
  positions: Layout;
  matchingIds: ReadonlySet<string> | null;
}) {
  const lines = useMemo(() => {
    const paths = edgePaths(graph, positions);
    const lit = graph.edges
      .filter(({ source, target }) => matchingIds === null || (matchingIds.has(source) && matchingIds.has(target)))
      .map((edge) => paths.of(edge));
    return Array.from({ length: Math.ceil(lit.length / edgesPerPath) }, (_, index) =>
      lit.slice(index * edgesPerPath, (index + 1) * edgesPerPath).join(""),
    );
  }, [graph, positions, matchingIds]);
  return (
    <ViewportPortal>
      <svg aria-hidden className="pointer-events-none absolute top-0 left-0 -z-1 size-px overflow-visible">
        {lines.map((line, index) => (
          <path key={index} d={line} strokeWidth={2} className="fill-none stroke-line-strong" />
        ))}
      </svg>
    </ViewportPortal>
  );
}
