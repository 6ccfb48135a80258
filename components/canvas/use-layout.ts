"use client";

import { useLayoutEffect, useMemo, useRef, useState } from "react";
import { layoutByElk } from "./elk-layout.ts";
import type { CanvasStorage } from "./model/canvas-storage.ts";
import { type Layout, layoutColumns } from "./model/column-layout.ts";
import { suitsElk } from "./model/elk-graph.ts";
import { layoutKey } from "./model/layout-key.ts";
import { placeNewcomers } from "./model/place-newcomers.ts";
import type { VisibleGraph } from "./model/visible-graph.ts";

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
export function useLayout(p: {
  graph: VisibleGraph;
  shape: string;
  round: number;
  storage: CanvasStorage;
}): Pick<GraphWithLayout, "graph" | "layout" | "shape" | "round"> | null {
  const { graph, shape, round, storage } = p;
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
    const known = recall({ key, shape, round, graph, storage, before: before.current });
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
function recall(p: {
  key: string;
  shape: string;
  round: number;
  graph: VisibleGraph;
  storage: CanvasStorage;
  before: GraphWithLayout | null;
}): Layout | null {
  const { before } = p;
  if (before && before.round !== p.round) return null;
  const same = p.storage.layout(p.key);
  if (same) return same;
  const old = before?.shape === p.shape ? before.layout : p.storage.lastLayout(p.shape);
  return old && placeNewcomers(p.graph, old);
}
