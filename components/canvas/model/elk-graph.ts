import type { ElkNode } from "elkjs/lib/elk-api.js";
import type { ModelNode } from "./build-model.ts";
import type { Layout } from "./column-layout.ts";
import { columns, nodeSize } from "./node-size.ts";
import type { VisibleGraph } from "./visible-graph.ts";

/**
 * Up to here ELK answers within about half a second. Its time grows with the square and worse: some 350 ms for 100
 * triggers, 500 ms for 150, 3 s for 300, minutes for 2,000. Above, the simple layout stays.
 */
const elkLimit = 450;

export function suitsElk({ nodes, edges }: VisibleGraph): boolean {
  return nodes.length + edges.length <= elkLimit;
}

/**
 * Layered from left to right in the order of the model, which makes it the same at every visit. The first and the last
 * column are fixed by constraints on layers: `elk.partitioning` does the same with an edge from everything to
 * everything, which takes 24 s for 300 triggers.
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

/** ELK's places, with the columns where they always are. `null` where it left a node out. */
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
