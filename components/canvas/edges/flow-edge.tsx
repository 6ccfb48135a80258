"use client";

import { type Edge, EdgeLabelRenderer, type EdgeProps, getBezierPath } from "@xyflow/react";
import { memo } from "react";
import { useCanvas, useEvidence } from "../canvas-context.tsx";
import { EvidenceChip } from "../evidence-chip.tsx";
import type { CanvasEdge } from "../model/visible-graph.ts";

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
