"use client";

import { useReactFlow } from "@xyflow/react";
import { type RefObject, useCallback, useEffect, useLayoutEffect, useMemo, useRef } from "react";
import type { Viewport } from "./model/canvas-storage.ts";
import type { Layout } from "./model/column-layout.ts";
import { boundsOf, boxOf, fitAll, isInWindow, viewOf } from "./model/viewports.ts";
import type { VisibleGraph } from "./model/visible-graph.ts";
import type { Folds } from "./use-folds.ts";

export interface Flight {
  /** Shows the whole canvas. */
  fit(): void;
  /** Brings a node in sight, if it is not. */
  show(id: string): void;
  /** Folds or opens an endpoint, which stays where it is on the screen. */
  toggle(endpointId: string): void;
}

const flightMs = 380;
/** Until the sheet beside the canvas has taken its room. */
const settleMs = 80;

/** Moves the window over the canvas: to what was selected or searched, and back to all of it. */
export function useFlight(p: { graph: VisibleGraph; places: Layout; selected: string | null; kept: ReadonlySet<string> | null; frame: RefObject<HTMLElement | null>; folds: Folds }): Flight {
  const { graph, places, selected, kept, frame, folds } = p;
  const { getViewport, setViewport } = useReactFlow();
  const now = useRef({ graph, places, folds });
  useLayoutEffect(() => {
    now.current = { graph, places, folds };
  });
  const size = useCallback(() => sizeOf(frame), [frame]);
  const flyTo = useCallback((view: Viewport | null) => void (view && setViewport(view, { duration: prefersStillness() ? 0 : flightMs })), [setViewport]);

  const show = useCallback(
    (id: string) => {
      const node = now.current.graph.nodes.find((one) => one.id === id);
      const box = node && boxOf(node, now.current.places);
      if (box) flyTo(viewOf(box, { viewport: getViewport(), frame: size() }));
    },
    [flyTo, getViewport, size],
  );
  const fit = useCallback(() => {
    const bounds = boundsOf(now.current.graph.nodes, now.current.places);
    if (bounds) flyTo(fitAll(bounds, size()));
  }, [flyTo, size]);

  const isPlaced = selected !== null && places.has(selected);
  useEffect(() => {
    if (!isPlaced || selected === null) return;
    const timer = setTimeout(() => show(selected), settleMs);
    return () => clearTimeout(timer);
  }, [isPlaced, selected, show]);

  useEffect(() => {
    if (!kept || kept.size === 0) return;
    const lit = now.current.graph.nodes.filter(({ id }) => kept.has(id));
    const view = { viewport: getViewport(), frame: size() };
    const isSomeInSight = lit.some((node) => { const box = boxOf(node, now.current.places); return box !== null && isInWindow(box, view); });
    const [first] = lit;
    if (first && !isSomeInSight) show(first.id);
  }, [kept, getViewport, size, show]);

  const anchor = useRef<{ id: string; y: number } | null>(null);
  const toggle = useCallback((id: string) => {
    const at = now.current.places.get(id);
    anchor.current = at ? { id, y: at.y } : null;
    now.current.folds.toggle(id);
  }, []);
  useLayoutEffect(() => {
    const from = anchor.current;
    const to = from && places.get(from.id);
    if (!from || !to || to.y === from.y) return;
    anchor.current = null;
    const { x, y, zoom } = getViewport();
    void setViewport({ x, y: y + (from.y - to.y) * zoom, zoom });
  }, [places, getViewport, setViewport]);

  return useMemo(() => ({ fit, show, toggle }), [fit, show, toggle]);
}

function sizeOf({ current }: RefObject<HTMLElement | null>): { width: number; height: number } {
  return current ? current.getBoundingClientRect() : { width: 1, height: 1 };
}

function prefersStillness(): boolean {
  return matchMedia("(prefers-reduced-motion: reduce)").matches;
}
