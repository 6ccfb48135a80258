import type { ModelNode } from "./build-model.ts";
import { columns, nodeSize } from "./node-size.ts";
import type { VisibleGraph } from "./visible-graph.ts";

export interface Point {
  x: number;
  y: number;
}

export type Layout = ReadonlyMap<string, Point>;

export const gap = 22;
/** Gap between the groups of two endpoints. */
const groupGap = 30;

/**
 * The simple layout without overlaps: triggers stacked, endpoints next to the middle of their triggers, targets next to
 * the middle of their sources. One pass over the nodes, so it is fast for any project size.
 */
export function layoutColumns({ nodes, edges }: Pick<VisibleGraph, "nodes" | "edges">): Layout {
  const layout = new Map<string, Point>();
  placeGroups(nodes, layout);
  const middles = middlesOfSources({ nodes, edges }, layout);
  const targets = nodes.filter(({ kind }) => kind === "target");
  const wanted = targets.toSorted(
    (one, other) => (middles.get(one.id) ?? Infinity) - (middles.get(other.id) ?? Infinity),
  );
  let free = 0;
  for (const target of wanted) {
    const { height } = nodeSize(target);
    const y = Math.max(free, Math.round((middles.get(target.id) ?? free) - height / 2));
    layout.set(target.id, { x: columns.target, y });
    free = y + height + gap;
  }
  return layout;
}

/** Places the groups of endpoints and their triggers below each other. */
function placeGroups(nodes: readonly ModelNode[], layout: Map<string, Point>): void {
  let top = 0;
  for (const group of groupsOf(nodes)) {
    const [endpoint, ...triggers] = group;
    if (!endpoint) continue;
    const stack = triggers.reduce((sum, trigger) => sum + nodeSize(trigger).height + gap, -gap);
    const { height } = nodeSize(endpoint);
    const room = Math.max(stack, height);
    layout.set(endpoint.id, { x: columns.endpoint, y: Math.round(top + (room - height) / 2) });
    let y = top + Math.round((room - Math.max(0, stack)) / 2);
    for (const trigger of triggers) {
      layout.set(trigger.id, { x: columns.trigger, y });
      y += nodeSize(trigger).height + gap;
    }
    top += room + groupGap;
  }
}

function groupsOf(nodes: readonly ModelNode[]): ModelNode[][] {
  const groups: ModelNode[][] = [];
  for (const node of nodes) {
    if (node.kind === "endpoint") groups.push([node]);
    else if (node.kind === "trigger") groups.at(-1)?.push(node);
  }
  return groups;
}

/** Sources farther below the first one do not affect the position of a target. */
const maxSourceDistance = 700;

/** The middle of the sources of each target. Only the topmost sources count if they are far apart. */
function middlesOfSources(
  { nodes, edges }: Pick<VisibleGraph, "nodes" | "edges">,
  layout: Layout,
): Map<string, number> {
  const byId = new Map(nodes.map((node) => [node.id, node]));
  const sources = new Map<string, number[]>();
  for (const { source, target } of edges) {
    const at = layout.get(source);
    const node = byId.get(source);
    if (!at || !node || byId.get(target)?.kind !== "target") continue;
    const middles = sources.get(target) ?? [];
    middles.push(at.y + nodeSize(node).height / 2);
    sources.set(target, middles);
  }
  return new Map(
    [...sources].map(([id, middles]) => [
      id,
      mean(middles.filter((middle) => middle <= Math.min(...middles) + maxSourceDistance)),
    ]),
  );
}

function mean(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0) / values.length;
}
