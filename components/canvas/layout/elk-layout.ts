import type { ElkNode } from "elkjs/lib/elk-api.js";
import type { ModelNode } from "../model/canvas-model.ts";
import { columns, nodeSize } from "../model/node-content.ts";
import type { VisibleGraph, Layout } from "../model/visible-graph.ts";

/**
 * Up to this number of nodes and edges, ELK takes about half a second. Its time grows at least quadratically: some
 * 350 ms for 100 triggers, 500 ms for 150, 3 s for 300, minutes for 2,000. Larger graphs use the simple layout.
 */
const maxElkElements = 450;

/** ELK avoids crossings. The edges of a large graph do not appear together, so it does not need that. */
export function suitsElk({ nodes, edges, isLarge }: VisibleGraph): boolean {
  return !isLarge && nodes.length > 0 && nodes.length + edges.length <= maxElkElements;
}

/**
 * Layered from left to right in the order of the model, so that every visit has the same layout. Layer constraints fix
 * the first and the last column. `elk.partitioning` would do the same with an edge between all nodes, which takes 24 s
 * for 300 triggers.
 */
export function toElkGraph({ nodes, edges }: VisibleGraph): ElkNode {
  return {
    id: "canvas",
    layoutOptions: {
      "elk.algorithm": "layered",
      "elk.direction": "RIGHT",
      "elk.separateConnectedComponents": "false",
      "elk.layered.considerModelOrder.strategy": "NODES_AND_EDGES",
      "elk.layered.crossingMinimization.forceNodeModelOrder": "true",
      "elk.layered.nodePlacement.strategy": "NETWORK_SIMPLEX",
      "elk.edgeRouting": "POLYLINE",
      "elk.spacing.nodeNode": "24",
      "elk.spacing.edgeNode": "12",
      "elk.layered.spacing.nodeNodeBetweenLayers": "120",
      "elk.randomSeed": "1",
    },
    children: nodes.map((node) => ({ id: node.id, ...nodeSize(node), layoutOptions: layerOf(node) })),
    edges: edges.map(({ id, source, target }) => ({ id, sources: [source], targets: [target] })),
  };
}

/** The positions from ELK, moved to our fixed columns. `null` if a node is missing. */
export function fromElkGraph(answer: ElkNode, { nodes }: VisibleGraph): Layout | null {
  const heights = new Map((answer.children ?? []).map(({ id, y }) => [id, y]));
  const top = Math.min(...[...heights.values()].map((y) => y ?? 0));
  const layout = new Map(
    nodes.flatMap((node) => {
      const y = heights.get(node.id);
      return y === undefined ? [] : [[node.id, { x: columns[node.kind], y: Math.round(y - top) }] as const];
    }),
  );
  return layout.size === nodes.length ? layout : null;
}

function layerOf({ kind }: ModelNode): Record<string, string> {
  if (kind === "endpoint") return { "elk.layered.layering.layerConstraint": "FIRST" };
  return kind === "target" ? { "elk.layered.layering.layerConstraint": "LAST" } : {};
}
