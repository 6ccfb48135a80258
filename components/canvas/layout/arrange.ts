import type { CanvasStorage } from "../canvas-storage.ts";
import type { Layout, VisibleGraph } from "../../graph/visible-graph.ts";
import { layoutColumns, layoutKey, placeNewNodes } from "./layout.ts";

/** A graph with its layout. */
export interface Arranged {
  key: string;
  shape: string;
  graph: VisibleGraph;
  layout: Layout;
}

interface Request {
  graph: VisibleGraph;
  /** Identifies the filter and the collapsed endpoints. Nodes keep their positions within the same shape. */
  shape: string;
  /** What is on the screen; `null`: nothing, or a new layout was requested. */
  before: Arranged | null;
  /** Remembers layouts; `null`: layouts with a filter are not remembered. */
  storage: CanvasStorage | null;
}

/** The layout of a graph: remembered, updated from the previous one, or new. */
export function arrange({ graph, shape, before, storage }: Request): Arranged {
  const key = `${shape}|${layoutKey(graph)}`;
  if (before?.key === key) return { key, shape, graph, layout: before.layout };
  const old = before?.shape === shape ? before.layout : storage?.lastLayout(shape);
  const layout = storage?.layout(key) ?? (old && placeNewNodes(graph, old)) ?? layoutColumns(graph);
  // A large layout is not remembered: reading it takes longer than computing it.
  if (!graph.isLarge) storage?.keepLayout({ key, shape }, layout);
  return { key, shape, graph, layout };
}
