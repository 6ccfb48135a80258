"use client";

import { ViewportPortal } from "@xyflow/react";
import { useMemo } from "react";
import type { Layout } from "../model/column-layout.ts";
import { edgePaths } from "../model/edge-paths.ts";
import type { VisibleGraph } from "../model/visible-graph.ts";

/** So many edges are one line, which the browser can leave out when it is out of sight. */
const together = 100;

/**
 * The edges from afar, where nobody follows a single one: a few long lines instead of thousands of elements that come
 * and go.
 */
export function FarEdges({
  graph,
  places,
  kept,
}: {
  graph: VisibleGraph;
  places: Layout;
  kept: ReadonlySet<string> | null;
}) {
  const lines = useMemo(() => {
    const paths = edgePaths(graph, places);
    const lit = graph.edges
      .filter(({ source, target }) => kept === null || (kept.has(source) && kept.has(target)))
      .map((edge) => paths.of(edge));
    return Array.from({ length: Math.ceil(lit.length / together) }, (_, index) =>
      lit.slice(index * together, (index + 1) * together).join(""),
    );
  }, [graph, places, kept]);
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
