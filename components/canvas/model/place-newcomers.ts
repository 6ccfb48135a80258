import { gap, type Layout, type Point } from "./column-layout.ts";
import type { ModelNode } from "./build-model.ts";
import { columns, nodeSize } from "./node-size.ts";
import type { VisibleGraph } from "./visible-graph.ts";

interface Span {
  top: number;
  bottom: number;
}

/**
 * Updates the layout after the project was saved: existing nodes keep their positions, and new nodes go to the free
 * position of their column nearest to their neighbours. `null`: few old nodes remain, or nodes overlap, so the layout
 * has to be recomputed.
 */
export function placeNewcomers(graph: VisibleGraph, old: Layout): Layout | null {
  const staying = graph.nodes.filter(({ id }) => old.has(id));
  if (staying.length * 2 < graph.nodes.length) return null;
  const layout = new Map<string, Point>(
    staying.flatMap(({ id }) => {
      const at = old.get(id);
      return at ? [[id, at] as const] : [];
    }),
  );
  const taken: Record<ModelNode["kind"], Span[]> = { endpoint: [], trigger: [], target: [] };
  for (const node of staying) taken[node.kind].push(spanOf(node, layout));
  for (const node of graph.nodes) {
    if (layout.has(node.id)) continue;
    const { height } = nodeSize(node);
    const y = nearestFree(taken[node.kind], { wanted: wantedTop(node, graph, layout), height });
    layout.set(node.id, { x: columns[node.kind], y });
    taken[node.kind].push({ top: y, bottom: y + height });
  }
  return grewOver(staying, layout) ? null : layout;
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
function nearestFree(taken: readonly Span[], p: { wanted: number; height: number }): number {
  const candidates = [p.wanted, ...taken.flatMap(({ top, bottom }) => [bottom + gap, top - gap - p.height])].map(
    Math.round,
  );
  const isFree = (top: number) =>
    taken.every((span) => top >= span.bottom + gap - 1 || top + p.height <= span.top - gap + 1);
  return (
    candidates.filter(isFree).toSorted((one, other) => Math.abs(one - p.wanted) - Math.abs(other - p.wanted))[0] ??
    Math.round(p.wanted)
  );
}

/** Whether a node has grown (for example by a condition) and overlaps the next one. */
function grewOver(staying: readonly ModelNode[], layout: Layout): boolean {
  return (["endpoint", "trigger", "target"] as const).some((kind) => {
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
