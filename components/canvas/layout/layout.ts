import type { ModelNode } from "../../graph/canvas-model.ts";
import { columns, nodeSize } from "../../graph/node-content.ts";
import type { Layout, Point, VisibleGraph } from "../../graph/visible-graph.ts";

const gap = 22;
/** Gap between the groups of two sources. */
const groupGap = 30;

/**
 * The layout in three columns, in the order of the model, so that every visit has the same one. Triggers are stacked,
 * sources are next to the middle of their triggers, and targets next to the middle of the nodes that lead to them. It
 * takes milliseconds for any project size.
 */
export function layoutColumns({ nodes, edges }: Pick<VisibleGraph, "nodes" | "edges">): Layout {
  const layout = new Map<string, Point>();
  placeGroups(nodes, layout);
  const middles = middlesOfSources({ nodes, edges }, layout);
  const targets = nodes.flatMap((node) => {
    const { height } = nodeSize(node);
    const middle = middles.get(node.id);
    const top = middle === undefined ? undefined : middle - height / 2;
    return node.kind === "target" ? [{ id: node.id, height, top }] : [];
  });
  const wanted = targets.flatMap(({ top, ...one }) => (top === undefined ? [] : [{ ...one, top }]));
  const tops = placeInOrder(wanted.toSorted((one, other) => one.top - other.top));
  for (const [id, y] of tops) layout.set(id, { x: columns.target, y });
  let free = Math.max(0, ...wanted.map(({ id, height }) => (tops.get(id) ?? 0) + height + gap));
  for (const { id, height } of targets.filter(({ top }) => top === undefined)) {
    layout.set(id, { x: columns.target, y: free });
    free += height + gap;
  }
  return layout;
}

interface Wanted {
  id: string;
  height: number;
  /** The position that it would have alone. */
  top: number;
}

/**
 * Places nodes below each other and below 0 in this order, with the least sum of squared distances from their wanted
 * positions. Nodes that would overlap form a block around the mean of what they want (isotonic regression by pooling).
 */
function placeInOrder(nodes: readonly Wanted[]): Map<string, number> {
  /** `start`: the mean of where its nodes want the block to start. */
  const blocks: { start: number; height: number; nodes: Wanted[] }[] = [];
  for (const node of nodes) {
    let block = { start: node.top, height: node.height + gap, nodes: [node] };
    for (let above = blocks.at(-1); above && above.start + above.height > block.start; above = blocks.at(-1)) {
      blocks.pop();
      const counts = [above.nodes.length, block.nodes.length] as const;
      block = {
        start: (above.start * counts[0] + (block.start - above.height) * counts[1]) / (counts[0] + counts[1]),
        height: above.height + block.height,
        nodes: [...above.nodes, ...block.nodes],
      };
    }
    blocks.push(block);
  }
  const tops = new Map<string, number>();
  let top = 0;
  for (const block of blocks) {
    top = Math.max(top, Math.round(block.start));
    for (const { id, height } of block.nodes) {
      tops.set(id, top);
      top += height + gap;
    }
  }
  return tops;
}

/** Places the groups of sources and their triggers below each other. */
function placeGroups(nodes: readonly ModelNode[], layout: Map<string, Point>): void {
  let top = 0;
  for (const group of groupsOf(nodes)) {
    const [source, ...triggers] = group;
    if (!source) continue;
    const stack = triggers.reduce((sum, trigger) => sum + nodeSize(trigger).height + gap, -gap);
    const { height } = nodeSize(source);
    const room = Math.max(stack, height);
    layout.set(source.id, { x: columns.source, y: Math.round(top + (room - height) / 2) });
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
    if (node.kind === "source") groups.push([node]);
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

/**
 * Equal for graphs with the same layout: the same nodes, sizes and edges. Contains a version number that invalidates
 * old caches when the layout algorithm changes.
 */
export function layoutKey({ nodes, edges }: VisibleGraph): string {
  const text = [...nodes.map((node) => `${node.id} ${nodeSize(node).height}`), ...edges.map(({ id }) => id)].join("\n");
  return `2-${hash(text)}-${nodes.length}`;
}

/** FNV-1a with 2 × 32 bits: short, not cryptographic. */
function hash(text: string): string {
  let one = 0x811c9dc5;
  let two = 0x9747b28c;
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    one = Math.imul(one ^ code, 0x01000193);
    two = Math.imul(two ^ code, 0x85ebca6b);
  }
  return (one >>> 0).toString(36) + (two >>> 0).toString(36);
}

interface Span {
  top: number;
  bottom: number;
}

/**
 * Updates the layout after the project was saved: existing nodes keep their positions, and new nodes go to the free
 * position of their column nearest to their neighbours. `null`: few old nodes remain, or nodes overlap, so the layout
 * has to be recomputed.
 */
export function placeNewNodes(graph: VisibleGraph, old: Layout): Layout | null {
  const staying = graph.nodes.filter(({ id }) => old.has(id));
  if (staying.length * 2 < graph.nodes.length) return null;
  const layout = new Map<string, Point>(
    staying.flatMap(({ id }) => {
      const at = old.get(id);
      return at ? [[id, at] as const] : [];
    }),
  );
  const taken: Record<ModelNode["kind"], Span[]> = { source: [], trigger: [], target: [] };
  for (const node of staying) taken[node.kind].push(spanOf(node, layout));
  for (const node of graph.nodes) {
    if (layout.has(node.id)) continue;
    const { height } = nodeSize(node);
    const y = nearestFree(taken[node.kind], { wanted: wantedTop(node, graph, layout), height });
    layout.set(node.id, { x: columns[node.kind], y });
    taken[node.kind].push({ top: y, bottom: y + height });
  }
  return hasOverlap(staying, layout) ? null : layout;
}

/** Next to its placed neighbours, or else below all nodes. */
function wantedTop(node: ModelNode, { nodes, edges }: VisibleGraph, layout: Layout): number {
  const neighbours = new Set(
    edges.flatMap(({ source, target }) => (source === node.id ? [target] : target === node.id ? [source] : [])),
  );
  const middles = nodes.flatMap((other) => {
    const at = layout.get(other.id);
    return at && neighbours.has(other.id) ? [at.y + nodeSize(other).height / 2] : [];
  });
  const { height } = nodeSize(node);
  if (middles.length === 0)
    return Math.max(
      0,
      ...nodes.flatMap((other) => {
        const at = layout.get(other.id);
        return at ? [at.y + nodeSize(other).height + gap] : [];
      }),
    );
  return middles.reduce((sum, middle) => sum + middle, 0) / middles.length - height / 2;
}

/** The free position nearest to the wanted one: there, or directly above or below an occupied span. */
function nearestFree(taken: readonly Span[], { wanted, height }: { wanted: number; height: number }): number {
  const candidates = [wanted, ...taken.flatMap(({ top, bottom }) => [bottom + gap, top - gap - height])].map(
    Math.round,
  );
  const isFree = (top: number) =>
    taken.every((span) => top >= span.bottom + gap - 1 || top + height <= span.top - gap + 1);
  return (
    candidates.filter(isFree).toSorted((one, other) => Math.abs(one - wanted) - Math.abs(other - wanted))[0] ??
    Math.round(wanted)
  );
}

/** Whether a node has grown (for example by a condition) and overlaps the next one. */
function hasOverlap(staying: readonly ModelNode[], layout: Layout): boolean {
  return (["source", "trigger", "target"] as const).some((kind) => {
    const spans = staying
      .filter((node) => node.kind === kind)
      .map((node) => spanOf(node, layout))
      .toSorted((one, other) => one.top - other.top);
    return spans.some((span, index) => span.top < (spans[index - 1]?.bottom ?? -Infinity));
  });
}

function spanOf(node: ModelNode, layout: Layout): Span {
  const top = layout.get(node.id)?.y ?? 0;
  return { top, bottom: top + nodeSize(node).height };
}
