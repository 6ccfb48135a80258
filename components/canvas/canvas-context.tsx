"use client";

import { createContext, useCallback, useContext, useSyncExternalStore } from "react";
import type { EndpointActivity, TargetActivity } from "./model/canvas-model.ts";
import type { Evidence, EvidenceStore } from "./live/evidence.ts";

/** State shared by all nodes and edges. Changes by user actions, not by traffic. */
export interface CanvasContextValue {
  store: EvidenceStore;
  selected: string | null;
  /** Ids of nodes that match the filters; `null`: all. */
  matchingIds: ReadonlySet<string> | null;
  collapsed: ReadonlySet<string>;
  toggle(endpointId: string): void;
  open(nodeId: string): void;
}

const CanvasContext = createContext<CanvasContextValue | null>(null);

export const CanvasProvider = CanvasContext.Provider;

export function useCanvas(): CanvasContextValue {
  const value = useContext(CanvasContext);
  if (!value) throw new Error("useCanvas requires a CanvasProvider.");
  return value;
}

export function useEndpointActivity(id: string): EndpointActivity | undefined {
  const { store } = useCanvas();
  return useSyncExternalStore(
    useCallback((listener) => store.subscribe([id], listener), [store, id]),
    () => store.endpoint(id),
    nothing,
  );
}

export function useTargetActivity(id: string): TargetActivity | undefined {
  const { store } = useCanvas();
  return useSyncExternalStore(
    useCallback((listener) => store.subscribe([id], listener), [store, id]),
    () => store.target(id),
    nothing,
  );
}

/** `counts` must be a stable array while its content is the same. */
export function useEvidence(counts: readonly string[]): Evidence | undefined {
  const { store } = useCanvas();
  return useSyncExternalStore(
    useCallback((listener) => store.subscribe(counts, listener), [store, counts]),
    () => store.evidence(counts),
    nothing,
  );
}

function nothing(): undefined {
  return undefined;
}
