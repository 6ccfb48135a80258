"use client";

import { ReactFlowProvider } from "@xyflow/react";
import "@xyflow/react/dist/base.css";
import { useMemo, useState } from "react";
import { CanvasSkeleton, FirstDelivery } from "./canvas-states.tsx";
import { createCanvasStorage } from "./canvas-storage.ts";
import { useLayout } from "./layout/use-layout.ts";
import type { EvidenceStore } from "./live/evidence.ts";
import type { CanvasModel } from "./model/canvas-model.ts";
import { visibleGraph } from "./model/visible-graph.ts";
import { FlowPlane } from "./plane/flow-plane.tsx";
import { Toolbar } from "./toolbar/toolbar.tsx";
import { type CanvasUrl, useMatchingIds } from "./toolbar/use-canvas-filters.ts";
import { useFolds } from "./use-folds.ts";

export interface CanvasProps {
  project: string;
  model: CanvasModel;
  store: EvidenceStore;
  url: CanvasUrl;
  filter: (change: Partial<Omit<CanvasUrl, "node">>) => void;
  open: (id: string | null) => void;
  onSeen: (ids: readonly string[]) => void;
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
