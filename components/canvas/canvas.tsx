"use client";

import { ReactFlowProvider } from "@xyflow/react";
import "@xyflow/react/dist/base.css";
import ELK, { type ELK as Elk } from "elkjs/lib/elk-api.js";
import { useLayoutEffect, useMemo, useRef, useState } from "react";
import type { CanvasProps } from "./canvas-props.ts";
import { CanvasSkeleton } from "./canvas-skeleton.tsx";
import { FirstDelivery } from "./first-delivery.tsx";
import { FlowPlane } from "./flow-plane.tsx";
import { type CanvasStorage, createCanvasStorage } from "./model/canvas-storage.ts";
import { type Layout, layoutColumns } from "./model/column-layout.ts";
import { fromElkGraph, suitsElk, toElkGraph } from "./model/elk-graph.ts";
import { layoutKey } from "./model/layout-key.ts";
import { placeNewcomers } from "./model/place-newcomers.ts";
import { visibleGraph, type VisibleGraph } from "./model/visible-graph.ts";
import { Toolbar } from "./toolbar.tsx";
import { useFolds } from "./use-folds.ts";
import { useMatchingIds } from "./use-kept.ts";

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

/** The canvas: endpoint → trigger → target. Rendered only in the browser, because it needs its size and its storage. */
export function Canvas({ project, model, store, url, filter, open, onSeen }: CanvasProps) {
  const [storage] = useState(() =>
    createCanvasStorage({ project, persistent: localStorageOrNull(), session: sessionStorageOrNull() }),
  );
  const folds = useFolds({ model, storage, opened: url.node });
  const [round, setRound] = useState(0);
  const [covered, setCovered] = useState(0);
  // Without a filter, the opened node is visible anyway.
  const opened = url.endpoint === null ? null : url.node;
  const graph = useMemo(
    () => visibleGraph(model, { endpoint: url.endpoint, collapsed: folds.collapsed, opened }),
    [model, url.endpoint, folds.collapsed, opened],
  );
  const shape = `${url.endpoint ?? ""}|${[...folds.collapsed].toSorted().join(" ")}`;
  const arranged = useLayout({ graph, shape, round, storage });
  const matchingIds = useMatchingIds({ model, store, text: url.q, status: url.status });
  const tidy = () => {
    storage.forgetLayouts();
    storage.keepMoved(new Map());
    setRound(round + 1);
  };
  return (
    <ReactFlowProvider>
      <Toolbar model={model} url={url} filter={filter} matchingIds={matchingIds} folds={folds} onTidy={tidy} />
      {arranged ? (
        <FlowPlane
          graph={arranged.graph}
          layout={arranged.layout}
          round={arranged.round}
          shape={arranged.shape}
          covered={covered}
          store={store}
          storage={storage}
          selected={url.node}
          matchingIds={matchingIds}
          folds={folds}
          open={open}
          onSeen={onSeen}
        />
      ) : (
        <CanvasSkeleton />
      )}
      <FirstDelivery model={model} store={store} onCovers={setCovered} />
    </ReactFlowProvider>
  );
}

function localStorageOrNull(): Storage | null {
  try {
    return localStorage;
  } catch {
    return null;
  }
}

function sessionStorageOrNull(): Storage | null {
  try {
    return sessionStorage;
  } catch {
    return null;
  }
}

/**
 * The graph with its layout: cached, updated from the previous one, by ELK, or in simple columns. The previous layout
 * stays visible until the next one is ready. `shape` identifies the filter and the collapsed endpoints; nodes keep
 * their positions only within the same shape. A new `round` forces a new layout.
 */
function useLayout(p: {
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

/** Computes the ELK layout in a web worker. The pages' Content-Security-Policy allows it by `worker-src 'self'`. */
async function layoutByElk(graph: VisibleGraph): Promise<Layout | null> {
  elk ??= new ELK({ workerFactory: () => new Worker(new URL("elkjs/lib/elk-worker.min.js", import.meta.url)) });
  return fromElkGraph(await elk.layout(toElkGraph(graph)), graph);
}
