import { type Edge, type Node, Position } from "@xyflow/react";
import type { ModelNode } from "./build-model.ts";
import type { Layout, Point } from "./column-layout.ts";
import { nodeSize } from "./node-size.ts";
import type { CanvasEdge, VisibleGraph } from "./visible-graph.ts";

export type FlowNode = Node<{ node: ModelNode }>;
export type FlowEdge = Edge<{ edge: CanvasEdge; endpoint: string }>;

/** The position of each node: from the layout, or where the user dragged it. */
export function positionsOf({ nodes }: VisibleGraph, p: { layout: Layout; moved: Layout }): Layout {
  return new Map(nodes.map(({ id }): [string, Point] => [id, p.moved.get(id) ?? p.layout.get(id) ?? { x: 0, y: 0 }]));
}

/**
 * The nodes for React Flow. Sizes and handles are given, so that it measures nothing. An unchanged node stays the same
 * object.
 */
export function flowNodes(
  { nodes }: VisibleGraph,
  p: { positions: Layout; drawn: WeakMap<ModelNode, FlowNode> },
): FlowNode[] {
  return nodes.map((node) => {
    const position = p.positions.get(node.id) ?? { x: 0, y: 0 };
    const old = p.drawn.get(node);
    if (old && isSame(old.position, position)) return old;
    const next = flowNode(node, position);
    p.drawn.set(node, next);
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

export function flowEdges({ nodes, edges }: VisibleGraph): FlowEdge[] {
  const byId = new Map(nodes.map((node) => [node.id, node]));
  return edges.map((edge) => {
    const source = byId.get(edge.source);
    const endpoint = source && source.kind !== "target" ? source.endpoint : "";
    return {
      id: edge.id,
      source: edge.source,
      target: edge.target,
      type: "flow",
      data: { edge, endpoint },
      domAttributes: hidden,
    };
  });
}

/** The nodes contain the text of edges for screen readers. */
const hidden = { "aria-hidden": true };

function isSame(one: Point, other: Point): boolean {
  return one.x === other.x && one.y === other.y;
}
