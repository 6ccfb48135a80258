"use client";

import ELK, { type ELK as Elk } from "elkjs/lib/elk-api.js";
import { useLayoutEffect, useMemo, useRef, useState } from "react";
import type { CanvasStorage } from "../canvas-storage.ts";
import type { Layout, VisibleGraph } from "../model/visible-graph.ts";
import { fromElkGraph, suitsElk, toElkGraph } from "./elk-layout.ts";
import { layoutColumns, layoutKey, placeNewNodes } from "./layout.ts";

let elk: Elk | null = null;

/**
 * Maximum time to wait for ELK: under the skeleton, and while the previous layout is visible. A later result is
 * ignored, so that the layout does not shift. The simple layout then stays, also at later visits, until the user
 * tidies.
 */
const elkTimeoutMs = { skeleton: 350, before: 2_500 };

interface GraphWithLayout {
  key: string;
  shape: string;
  round: number;
  graph: VisibleGraph;
  layout: Layout;
}

/**
 * The graph with its layout: cached, updated from the previous one, by ELK, or in simple columns. The previous layout
 * stays visible until the next one is ready. `shape` identifies the filter and the collapsed endpoints; nodes keep
 * their positions only within the same shape. A new `round` forces a new layout.
 */
export function useLayout({
  graph,
  shape,
  round,
  storage,
}: {
  graph: VisibleGraph;
  shape: string;
  round: number;
  storage: CanvasStorage;
}): Omit<GraphWithLayout, "key"> | null {
  const key = `${shape}|${layoutKey(graph)}`;
  const [state, setState] = useState<GraphWithLayout | null>(null);
  const before = useRef<GraphWithLayout | null>(null);
  useLayoutEffect(() => {
    let isOver = false;
    const show = (layout: Layout, isFinal: boolean) => {
      if (isOver) return;
      const next = { key, shape, round, graph, layout };
      before.current = next;
      setState(next);
      if (isFinal) storage.keepLayout({ key, shape }, layout);
    };
    const known = knownLayout({ key, shape, round, graph, storage, before: before.current });
    if (known) {
      show(known, true);
      return;
    }
    if (!suitsElk(graph)) {
      show(layoutColumns(graph), false);
      return;
    }
    const settle = (layout: Layout | null) => {
      show(layout ?? layoutColumns(graph), true);
      isOver = true;
    };
    const timer = setTimeout(() => settle(null), before.current ? elkTimeoutMs.before : elkTimeoutMs.skeleton);
    // Without the worker, the simple layout is used.
    void layoutByElk(graph).then(settle, () => settle(null));
    return () => {
      isOver = true;
      clearTimeout(timer);
    };
    // The key covers everything that a layout depends on.
    // oxlint-disable-next-line react-hooks/exhaustive-deps
  }, [key, round, storage]);
  // The text of a condition can change without changing the layout.
  const current = state?.key === key ? graph : state?.graph;
  return useMemo(() => (state && current ? { ...state, graph: current } : null), [state, current]);
}

/** An existing layout: of this graph, or updated from the previous graph. */
function knownLayout({
  key,
  shape,
  round,
  graph,
  storage,
  before,
}: {
  key: string;
  shape: string;
  round: number;
  graph: VisibleGraph;
  storage: CanvasStorage;
  before: GraphWithLayout | null;
}): Layout | null {
  if (before && before.round !== round) return null;
  const same = storage.layout(key);
  if (same) return same;
  const old = before?.shape === shape ? before.layout : storage.lastLayout(shape);
  return old && placeNewNodes(graph, old);
}

/** Computes the ELK layout in a web worker. The pages' Content-Security-Policy allows it by `worker-src 'self'`. */
async function layoutByElk(graph: VisibleGraph): Promise<Layout | null> {
  elk ??= new ELK({ workerFactory: () => new Worker(new URL("elkjs/lib/elk-worker.min.js", import.meta.url)) });
  return fromElkGraph(await elk.layout(toElkGraph(graph)), graph);
}
