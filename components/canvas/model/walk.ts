import type { Layout } from "./column-layout.ts";
import type { VisibleGraph } from "./visible-graph.ts";

export type Step = "ArrowUp" | "ArrowDown" | "ArrowLeft" | "ArrowRight";

/**
 * The node that an arrow key moves to: up and down within the column, left and right to the nearest connected node.
 * `null`: no such node.
 */
export function walk({ nodes, edges }: VisibleGraph, p: { from: string; step: Step; layout: Layout }): string | null {
  const here = p.layout.get(p.from);
  const from = nodes.find(({ id }) => id === p.from);
  if (!here || !from) return null;
  const placed = (ids: readonly string[]) =>
    ids.flatMap((id) => {
      const at = p.layout.get(id);
      return at ? [{ id, y: at.y }] : [];
    });
  const nearest = (ids: readonly string[]) =>
    placed(ids).toSorted((one, other) => Math.abs(one.y - here.y) - Math.abs(other.y - here.y))[0]?.id ?? null;
  if (p.step === "ArrowRight")
    return nearest(edges.flatMap(({ source, target }) => (source === p.from ? [target] : [])));
  if (p.step === "ArrowLeft")
    return nearest(edges.flatMap(({ source, target }) => (target === p.from ? [source] : [])));
  const column = placed(nodes.filter(({ kind }) => kind === from.kind).map(({ id }) => id));
  return nearest(column.filter(({ y }) => (p.step === "ArrowUp" ? y < here.y : y > here.y)).map(({ id }) => id));
}
