"use client";

import { type RefObject, useEffect, useEffectEvent } from "react";
import { isNowhere } from "../ui/keep-focus.ts";
import type { Layout } from "./model/column-layout.ts";
import type { VisibleGraph } from "./model/visible-graph.ts";
import { type Step, walk } from "./model/walk.ts";
import type { CanvasView } from "./use-viewport.ts";

const steps: readonly Step[] = ["ArrowUp", "ArrowDown", "ArrowLeft", "ArrowRight"];

/**
 * Arrow keys move between nodes, `f` fits, `+` and `-` zoom, `Esc` closes the sheet. Enter opens a node, as for every
 * link. The keys work on the canvas, and while no other element has the focus.
 */
export function useCanvasKeys(p: {
  graph: VisibleGraph;
  positions: Layout;
  open: (id: string | null) => void;
  view: CanvasView;
  frame: RefObject<HTMLElement | null>;
}) {
  const onKeyDown = useEffectEvent((event: KeyboardEvent) => {
    const isOnCanvas = event.target instanceof Node && p.frame.current?.contains(event.target);
    if (
      event.metaKey ||
      event.ctrlKey ||
      event.altKey ||
      event.defaultPrevented ||
      !(isOnCanvas || isNowhere(event.target)) ||
      document.querySelector("dialog:modal")
    )
      return;
    // The sheet handles Esc if no element has the focus.
    if (event.key === "Escape" && !isOnCanvas) return;
    const step = steps.find((one) => one === event.key);
    const action = step
      ? () => moveFocus(step, event, p)
      : { f: p.view.fit, "+": p.view.zoomIn, "=": p.view.zoomIn, "-": p.view.zoomOut, Escape: () => p.open(null) }[
          event.key
        ];
    if (!action) return;
    event.preventDefault();
    action();
  });
  useEffect(() => {
    const listen = (event: KeyboardEvent) => onKeyDown(event);
    addEventListener("keydown", listen);
    return () => removeEventListener("keydown", listen);
  }, []);
}

function moveFocus(
  step: Step,
  event: KeyboardEvent,
  p: { graph: VisibleGraph; positions: Layout; view: CanvasView; frame: RefObject<HTMLElement | null> },
): void {
  const from = event.target instanceof Element ? event.target.closest("[data-node]")?.getAttribute("data-node") : null;
  const to = from ? walk(p.graph, { from, step, layout: p.positions }) : p.graph.nodes[0]?.id;
  if (!to) return;
  p.view.show(to);
  focusWhenDrawn(to, p.frame, 40);
}

/** A node outside the view is rendered only during the move, so this retries for some frames. */
function focusWhenDrawn(id: string, frame: RefObject<HTMLElement | null>, tries: number): void {
  const link = [...(frame.current?.querySelectorAll("[data-node]") ?? [])]
    .find((node) => node.getAttribute("data-node") === id)
    ?.querySelector("a[data-node-link]");
  if (link instanceof HTMLElement) link.focus({ preventScroll: true });
  else if (tries > 0) requestAnimationFrame(() => focusWhenDrawn(id, frame, tries - 1));
}
