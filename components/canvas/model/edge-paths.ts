import { getBezierPath, Position } from "@xyflow/react";
import type { Layout } from "./column-layout.ts";
import { nodeSize } from "./node-size.ts";
import type { VisibleGraph } from "./visible-graph.ts";

/** The line of an edge by its id, the very one that is drawn; `null` for an edge that is not. */
export function edgePaths({ nodes, edges }: VisibleGraph, places: Layout): (edgeId: string) => string | null {
  return (edgeId) => {
    const edge = edges.find(({ id }) => id === edgeId);
    const source = nodes.find(({ id }) => id === edge?.source);
    const target = nodes.find(({ id }) => id === edge?.target);
    const from = source && places.get(source.id);
    const to = target && places.get(target.id);
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
}
