import type { ELK as Elk } from "elkjs/lib/elk-api.js";
import type { CanvasStorage } from "../canvas-storage.ts";
import type { Layout, VisibleGraph } from "../model/visible-graph.ts";
import { fromElkGraph, suitsElk, toElkGraph } from "./elk-layout.ts";
import { layoutColumns, layoutKey, placeNewNodes } from "./layout.ts";

/**
 * Maximum time to wait for ELK. A later result is ignored, so that the layout does not shift. The simple layout then
 * stays, also at later visits, until the user tidies.
 */
const elkTimeoutMs = 400;

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
  onArranged: (next: Arranged) => void;
}

/**
 * Finds a layout for a graph: remembered, updated from the previous one, by ELK, or in simple columns. Calls
 * `onArranged` once, immediately or later. Returns a function that cancels it.
 */
export function arrange({ graph, shape, before, storage, onArranged }: Request): () => void {
  const key = `${shape}|${layoutKey(graph)}`;
  let isOver = false;
  const settle = (layout: Layout, isKept: boolean) => {
    if (isOver) return;
    isOver = true;
    if (isKept) storage?.keepLayout({ key, shape }, layout);
    onArranged({ key, shape, graph, layout });
  };
  const known = before?.key === key ? before.layout : knownLayout({ key, shape, graph, before, storage });
  if (known) settle(known, before?.key !== key);
  else if (!suitsElk(graph)) settle(layoutColumns(graph), false);
  else {
    const timer = setTimeout(() => settle(layoutColumns(graph), true), elkTimeoutMs);
    const finish = (layout: Layout | null) => {
      clearTimeout(timer);
      settle(layout ?? layoutColumns(graph), true);
    };
    // Without the worker, the simple layout is used.
    layoutByElk(graph).then(finish, () => finish(null));
  }
  return () => {
    isOver = true;
  };
}

/** An existing layout: of this graph, or updated from the previous graph. */
function knownLayout({
  key,
  shape,
  graph,
  before,
  storage,
}: Pick<Request, "graph" | "shape" | "before" | "storage"> & { key: string }): Layout | null {
  const same = storage?.layout(key);
  if (same) return same;
  const old = before?.shape === shape ? before.layout : storage?.lastLayout(shape);
  return old ? placeNewNodes(graph, old) : null;
}

let elk: Promise<Elk> | null = null;

/** Computes the ELK layout in a web worker. The pages' Content-Security-Policy allows it by `worker-src 'self'`. */
async function layoutByElk(graph: VisibleGraph): Promise<Layout | null> {
  elk ??= import("elkjs/lib/elk-api.js").then(
    ({ default: ELK }) =>
      new ELK({ workerFactory: () => new Worker(new URL("elkjs/lib/elk-worker.min.js", import.meta.url)) }),
  );
  return fromElkGraph(await (await elk).layout(toElkGraph(graph)), graph);
}
