"use client";

import { createContext, useContext, useSyncExternalStore } from "react";
import type { CanvasState, CanvasStore } from "./canvas-store.ts";

const CanvasContext = createContext<CanvasStore | null>(null);

export const CanvasProvider = CanvasContext.Provider;

export function useCanvasStore(): CanvasStore {
  const store = useContext(CanvasContext);
  if (!store) throw new Error("useCanvasStore requires a CanvasProvider.");
  return store;
}

/** A part of the canvas. The component renders again when the selected value changes. */
export function useCanvas<Value>(select: (state: CanvasState) => Value): Value {
  const { subscribe, get } = useCanvasStore();
  return useSyncExternalStore(
    subscribe,
    () => select(get()),
    () => select(get()),
  );
}
