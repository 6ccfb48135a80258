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
 * So long ELK is waited for: under the skeleton, and with the layout that was there before. An answer that comes later
 * is not taken, so that nothing jumps: the simple layout then stays, at later visits too, until somebody tidies.
 */
const patienceMs = { skeleton: 350, before: 2_500 };

interface Laid {
  key: string;
  shape: string;
  round: number;
  graph: VisibleGraph;
  layout: Layout;
}

/**
 * The graph with its layout: from the cache, or the old one with newcomers placed, or by ELK, or simple columns. While
 * another is made, what was shown before stays. `shape` names what a person chose (filter, folded endpoints): only
 * within it may nodes stay where they were. Another `round` lays out anew.
 */
export function useLayout(p: {
  graph: VisibleGraph;
  shape: string;
  round: number;
  storage: CanvasStorage;
}): Pick<Laid, "graph" | "layout" | "shape" | "round"> | null {
  const { graph, shape, round, storage } = p;
  const key = `${shape}|${layoutKey(graph)}`;
  const [laid, setLaid] = useState<Laid | null>(null);
  const before = useRef<Laid | null>(null);
  useLayoutEffect(() => {
    let isOver = false;
    const show = (layout: Layout, isFinal: boolean) => {
      if (isOver) return;
      const next = { key, shape, round, graph, layout };
      before.current = next;
      setLaid(next);
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
    const timer = setTimeout(() => settle(null), before.current ? patienceMs.before : patienceMs.skeleton);
    // Without the worker the canvas is as usable, a little less tidy.
    void layoutByElk(graph).then(settle, () => settle(null));
    return () => {
      isOver = true;
      clearTimeout(timer);
    };
    // The key says all of the graph that a layout depends on.
    // oxlint-disable-next-line react-hooks/exhaustive-deps
  }, [key, round, storage]);
  // The words of a condition may change without its place.
  const current = laid?.key === key ? graph : laid?.graph;
  return useMemo(() => (laid && current ? { ...laid, graph: current } : null), [laid, current]);
}

/** What needs no making: a layout of this very graph, or of one that became it. */
function recall(p: {
  key: string;
  shape: string;
  round: number;
  graph: VisibleGraph;
  storage: CanvasStorage;
  before: Laid | null;
}): Layout | null {
  const { before } = p;
  if (before && before.round !== p.round) return null;
  const same = p.storage.layout(p.key);
  if (same) return same;
  const old = before?.shape === p.shape ? before.layout : p.storage.lastLayout(p.shape);
  return old && placeNewcomers(p.graph, old);
}
