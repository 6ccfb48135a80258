import { getBezierPath, Position } from "@xyflow/react";
import type { Layout } from "./column-layout.ts";
import { nodeSize } from "./node-size.ts";
import type { CanvasEdge, VisibleGraph } from "./visible-graph.ts";

/** The SVG path of an edge, identical to the rendered one; `null` if the edge is not rendered. */
export function edgePaths(
  { nodes, edges }: VisibleGraph,
  positions: Layout,
): { byId(edgeId: string): string | null; of(edge: CanvasEdge): string | null } {
  const byId = new Map(nodes.map((node) => [node.id, node]));
  const of = ({ source: sourceId, target: targetId }: CanvasEdge): string | null => {
    const source = byId.get(sourceId);
    const target = byId.get(targetId);
    const from = positions.get(sourceId);
    const to = positions.get(targetId);
    if (!source || !target || !from || !to) return null;
    const [path] = getBezierPath({
      sourceX: from.x + nodeSize(source).width,
      sourceY: from.y + nodeSize(source).height / 2,
      sourcePosition: Position.Right,
      targetX: to.x,
      targetY: to.y + nodeSize(target).height / 2,
      targetPosition: Position.Left,
    });
    return path;
  };
  return {
    of,
    byId: (edgeId) => {
      const edge = edges.find(({ id }) => id === edgeId);
      return edge ? of(edge) : null;
    },
  };
}
