import { type Edge, getBezierPath, type Node, Position } from "@xyflow/react";
import type { GraphSource, ModelNode } from "../../graph/canvas-model.ts";
import { nodeSize } from "../../graph/node-content.ts";
import type { CanvasEdge, VisibleGraph, Layout, Point } from "../../graph/visible-graph.ts";

export type FlowNode = Node<{ node: ModelNode }>;
export type FlowEdge = Edge<{ edge: CanvasEdge; source: GraphSource | null }>;

/**
 * The nodes for React Flow. Sizes and handles are given, so that it measures nothing. An unchanged node stays the same
 * object.
 */
export function flowNodes(
  { nodes }: VisibleGraph,
  { positions, known }: { positions: Layout; known: WeakMap<ModelNode, FlowNode> },
): FlowNode[] {
  return nodes.map((node) => {
    const position = positions.get(node.id) ?? { x: 0, y: 0 };
    const old = known.get(node);
    if (old && isSame(old.position, position)) return old;
    const next = flowNode(node, position);
    known.set(node, next);
    return next;
  });
}

function flowNode(node: ModelNode, position: Point): FlowNode {
  const { width, height } = nodeSize(node);
  const middle = { y: height / 2, width: 0, height: 0 };
  return {
    id: node.id,
    type: node.kind,
    position,
    data: { node },
    width,
    height,
    measured: { width, height },
    handles: [
      { type: "target", position: Position.Left, x: 0, ...middle },
      { type: "source", position: Position.Right, x: width, ...middle },
    ],
  };
}

/** `drawn`: the ids of the edges to draw; `null`: all. */
export function flowEdges({ nodes, edges }: VisibleGraph, drawn: ReadonlySet<string> | null): FlowEdge[] {
  const byId = new Map(nodes.map((node) => [node.id, node]));
  return edges
    .filter(({ id }) => drawn?.has(id) ?? true)
    .map((edge) => {
      const from = byId.get(edge.source);
      return {
        id: edge.id,
        source: edge.source,
        target: edge.target,
        type: "flow",
        data: { edge, source: from && from.kind !== "target" ? from.source : null },
        domAttributes: hidden,
      };
    });
}

/** The nodes contain the text of edges for screen readers. */
const hidden = { "aria-hidden": true };

function isSame(one: Point, other: Point): boolean {
  return one.x === other.x && one.y === other.y;
}

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
