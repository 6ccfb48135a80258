"use client";

import { useReactFlow, useStore, type Viewport } from "@xyflow/react";
import { useCallback, useEffect, useLayoutEffect, useMemo, useRef, useState } from "react";
import { prefersReducedMotion } from "../../ui/browser.ts";
import type { CanvasStorage } from "../canvas-storage.ts";
import { type Aim, boxOf, isInWindow, viewFor } from "./viewport.ts";
import type { VisibleGraph, Layout } from "../model/visible-graph.ts";
import { onShowNode } from "../show-node.ts";
import type { Folds } from "../use-folds.ts";

export interface CanvasView {
  /** Shows the whole canvas. */
  fit(): void;
  /** Brings a node into view. */
  show(id: string): void;
  /** Collapses or expands an endpoint, which keeps its position on the screen. */
  toggle(endpointId: string): void;
  zoomIn(): void;
  zoomOut(): void;
  /** Centres another part of the canvas, chosen on the minimap. */
  lookAt(centre: { x: number; y: number }): void;
  /** For React Flow: the user moves the plane. */
  handleMove(event: MouseEvent | TouchEvent | null): void;
}

interface Props {
  graph: VisibleGraph;
  positions: Layout;
  /** Identifies the filter, the collapsed endpoints and the layout round. */
  shown: string;
  /** Height of the covered lower part of the window, px. */
  covered: number;
  selected: string | null;
  matchingIds: ReadonlySet<string> | null;
  storage: CanvasStorage;
  folds: Folds;
}

const flightMs = 380;
const zoomMs = 150;

/**
 * The only code that sets the viewport. Actions set an aim. `viewFor` derives the viewport from the aim, the layout and
 * the frame whenever one of them changes, for example when a layout arrives late or a sheet opens. Moving the canvas by
 * hand ends the aim.
 */
export function useViewport({
  graph,
  positions,
  shown,
  covered,
  selected,
  matchingIds,
  storage,
  folds,
}: Props): CanvasView {
  const flow = useReactFlow();
  const { endpoint } = graph;
  const isReady = useStore((state) => state.panZoom !== null && state.width > 0 && state.height > 0);
  const width = useStore((state) => state.width);
  const height = useStore((state) => state.height) - covered;
  const [restored] = useState(() => storage.viewport(endpoint));
  const [aim, setAim] = useState<Aim>({ to: restored ? "hand" : "start" });

  const placed = selected !== null && positions.has(selected) ? selected : null;
  // After a reload the same node is open as before, so the viewport does not move.
  const [before, setBefore] = useState({ placed: restored?.node ?? null, endpoint });
  if (before.placed !== placed || before.endpoint !== endpoint) {
    setBefore({ placed, endpoint });
    if (placed !== null) setAim({ to: "node", id: placed });
    else if (before.endpoint !== endpoint) setAim({ to: "start" });
    else setAim({ to: "hand" });
  }

  const now = useRef({ graph, positions, folds, frame: { width, height } });
  useLayoutEffect(() => {
    now.current = { graph, positions, folds, frame: { width, height } };
  });
  /** The end of the active animation; `null`: none, React Flow has the viewport. */
  const goal = useRef<Viewport | null>(null);
  const viewport = useCallback(() => goal.current ?? flow.getViewport(), [flow]);

  const applied = useRef<{ aim: Aim; occasion: string; isCentred: boolean } | null>(null);
  const occasion = `${shown} ${width} ${height}`;
  useLayoutEffect(() => {
    if (!isReady) return;
    const last = applied.current;
    const base = last ? viewport() : (restored?.viewport ?? flow.getViewport());
    const isCentred = last?.aim === aim && last.isCentred;
    const view = { nodes: graph.nodes, positions: now.current.positions, frame: { width, height } };
    const from =
      last || restored
        ? base
        : (viewFor({ to: "start" }, { ...view, viewport: base, isDue: true, isCentred: false }) ?? base);
    const aimed = viewFor(aim, {
      ...view,
      viewport: from,
      isDue: last?.aim !== aim || last.occasion !== occasion,
      isCentred,
    });
    applied.current = { aim, occasion, isCentred: isCentred || (aimed !== null && aim.to === "node") };
    const next = aimed ?? (last ? null : from);
    if (!next) return;
    goal.current = next;
    const isFlight = last !== null && (aim.to === "all" || aim.to === "node") && !prefersReducedMotion();
    void flow.setViewport(next, isFlight ? { duration: flightMs } : {});
  }, [aim, occasion, isReady, graph, width, height, restored, flow, viewport]);

  const handleMove = useCallback((event: MouseEvent | TouchEvent | null) => {
    if (!event) return;
    goal.current = null;
    setAim((current) => (current.to === "hand" ? current : { to: "hand" }));
  }, []);
  const byHand = useCallback((move: () => Promise<boolean>) => {
    goal.current = null;
    setAim({ to: "hand" });
    void move();
  }, []);
  const show = useCallback((id: string) => setAim({ to: "node", id }), []);
  useEffect(() => onShowNode(show), [show]);

  useEffect(() => {
    if (!matchingIds || matchingIds.size === 0) return;
    const { frame, ...shownNow } = now.current;
    const lit = shownNow.graph.nodes.filter(({ id }) => matchingIds.has(id));
    const isSomeInView = lit.some((node) => {
      const box = boxOf(node, shownNow.positions);
      return box !== null && isInWindow(box, { viewport: viewport(), frame });
    });
    const [first] = lit;
    if (first && !isSomeInView) show(first.id);
  }, [matchingIds, viewport, show]);

  return useMemo(
    () => ({
      fit: () => setAim({ to: "all" }),
      show,
      toggle(id) {
        const at = now.current.positions.get(id);
        const { y, zoom } = viewport();
        if (at) setAim({ to: "stay", id, top: at.y * zoom + y });
        now.current.folds.toggle(id);
      },
      zoomIn: () => byHand(() => flow.zoomIn({ duration: zoomMs })),
      zoomOut: () => byHand(() => flow.zoomOut({ duration: zoomMs })),
      lookAt: ({ x, y }) => byHand(() => flow.setCenter(x, y, { zoom: flow.getZoom() })),
      handleMove,
    }),
    [show, byHand, viewport, flow, handleMove],
  );
}
