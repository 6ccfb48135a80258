"use client";

import { type Edge, EdgeLabelRenderer, type EdgeProps, getBezierPath, ViewportPortal } from "@xyflow/react";
import { memo, useMemo } from "react";
import { useCanvas, useEvidence } from "../canvas-context.tsx";
import { EvidenceChip } from "../live/evidence-chip.tsx";
import type { CanvasEdge, VisibleGraph, Layout } from "../model/visible-graph.ts";
import { edgePaths } from "./flow-elements.ts";

export type FlowEdgeType = Edge<{ edge: CanvasEdge; endpoint: string }, "flow">;

/** An edge. Dashed without deliveries in the time window; in the accent colour at the opened node. */
export const FlowEdge = memo(function FlowEdge({ data, source, target, ...ends }: EdgeProps<FlowEdgeType>) {
  const { selected, matchingIds } = useCanvas();
  const isSummary = data?.edge.kind === "summary";
  const evidence = useEvidence(data?.edge.counts ?? none);
  const [path, x, y] = getBezierPath(ends);
  const isLit = selected === source || selected === target;
  const isDim = matchingIds !== null && !(matchingIds.has(source) && matchingIds.has(target));
  const isUnused = evidence !== undefined && evidence.passed === 0 && data?.edge.kind !== "evaluates";
  const [trigger, ...others] = data?.edge.triggers ?? [];
  return (
    <>
      <path
        d={path}
        data-edge={data?.edge.id}
        strokeWidth={isLit ? 2.2 : 1.5}
        strokeDasharray={isUnused ? "4 4" : undefined}
        className={`fill-none ${isLit ? "stroke-accent" : "stroke-line-strong"} ${isDim ? "opacity-30" : ""}`}
      />
      {isSummary && evidence && (
        <EdgeLabelRenderer>
          <div
            style={{ transform: `translate(-50%, -50%) translate(${x}px, ${y}px)` }}
            className={`nodrag nopan pointer-events-auto absolute ${isDim ? "opacity-30" : ""}`}
          >
            <EvidenceChip
              evidence={evidence}
              endpoint={data.endpoint}
              trigger={others.length === 0 && trigger ? trigger.replace(/^trigger:/, "") : null}
            />
          </div>
        </EdgeLabelRenderer>
      )}
    </>
  );
});

const none: readonly string[] = [];

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
