"use client";

import { type Edge, EdgeLabelRenderer, type EdgeProps, getBezierPath, ViewportPortal } from "@xyflow/react";
import { memo, useMemo } from "react";
import { useCanvas } from "../use-canvas.ts";
import { EvidenceChip } from "../live/evidence-chip.tsx";
import type { GraphSource } from "../../graph/canvas-model.ts";
import type { CanvasEdge, VisibleGraph, Layout } from "../../graph/visible-graph.ts";
import { edgePaths } from "./flow-elements.ts";

export type FlowEdgeType = Edge<{ edge: CanvasEdge; source: GraphSource | null }, "flow">;

/** An edge. Dashed without deliveries in the time window; in the accent colour at the hovered and the opened node. */
export const FlowEdge = memo(function FlowEdge({ id, data, ...ends }: EdgeProps<FlowEdgeType>) {
  const isSummary = data?.edge.kind === "summary";
  const counts = data?.edge.counts ?? none;
  const evidence = useCanvas(({ traffic }) => traffic.evidence(counts));
  const isLit = useCanvas(({ lit }) => lit.has(id));
  const [path, x, y] = getBezierPath(ends);
  const isUnused = evidence !== undefined && evidence.passed === 0 && data?.edge.kind !== "evaluates";
  const [trigger, ...others] = data?.edge.triggers ?? [];
  return (
    <>
      <path
        d={path}
        data-edge={data?.edge.id}
        strokeWidth={isLit ? 2.2 : 1.5}
        strokeDasharray={isUnused ? "4 4" : undefined}
        className={`fill-none ${isLit ? "stroke-accent" : "stroke-line-strong"}`}
      />
      {isSummary && evidence && data.source && (
        <EdgeLabelRenderer>
          <div
            style={{ transform: `translate(-50%, -50%) translate(${x}px, ${y}px)` }}
            className="nodrag nopan pointer-events-auto absolute"
          >
            <EvidenceChip
              evidence={evidence}
              source={data.source}
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
  drawn,
}: {
  graph: VisibleGraph;
  positions: Layout;
  /** The ids of the edges to draw; `null`: all. */
  drawn: ReadonlySet<string> | null;
}) {
  const lines = useMemo(() => {
    const paths = edgePaths(graph, positions);
    const edges = graph.edges.filter(({ id }) => drawn?.has(id) ?? true).map((edge) => paths.of(edge));
    return Array.from({ length: Math.ceil(edges.length / edgesPerPath) }, (_, index) =>
      edges.slice(index * edgesPerPath, (index + 1) * edgesPerPath).join(""),
    );
  }, [graph, positions, drawn]);
  return (
    <ViewportPortal>
      <svg aria-hidden className="pointer-events-none absolute top-0 left-0 -z-1 size-px overflow-visible">
        {lines.map((line, index) => (
          <path
            key={index}
            d={line}
            strokeWidth={2}
            className={`fill-none ${drawn ? "stroke-accent" : "stroke-line-strong"}`}
          />
        ))}
      </svg>
    </ViewportPortal>
  );
}
