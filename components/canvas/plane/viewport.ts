import type { ModelNode } from "../../graph/canvas-model.ts";
import type { Viewport } from "../canvas-storage.ts";
import { nodeSize } from "../../graph/node-content.ts";
import type { Layout, Point } from "../../graph/visible-graph.ts";

export interface Box {
  x: number;
  y: number;
  width: number;
  height: number;
}

export const zoomRange = { min: 0.08, max: 2 };

/** Below this zoom, nodes show only their names. */
export const farZoom = 0.4;

/** Margins of the window without nodes: the toolbar at the top, the zoom buttons at the left, some space elsewhere. */
const margins = { top: 72, right: 24, bottom: 24, left: 64 };
/** Text of 13 px then has 10 px. */
const readableZoom = 10 / 13;
/** On a narrow window, the first view shows all columns down to this zoom. */
const minFirstZoom = 0.62;

/** The bounding box of all nodes; `null` without nodes. */
export function boundsOf(nodes: readonly ModelNode[], positions: Layout): Box | null {
  const boxes = nodes.flatMap((node) => boxOf(node, positions) ?? []);
  if (boxes.length === 0) return null;
  const x = Math.min(...boxes.map((box) => box.x));
  const y = Math.min(...boxes.map((box) => box.y));
  return {
    x,
    y,
    width: Math.max(...boxes.map((box) => box.x + box.width)) - x,
    height: Math.max(...boxes.map((box) => box.y + box.height)) - y,
  };
}

export function boxOf(node: ModelNode, positions: Layout): Box | null {
  const at = positions.get(node.id);
  return at ? { ...at, ...nodeSize(node) } : null;
}

/** Fits the bounds into the window, centred, with a zoom of at most 1. */
export function fitAll(bounds: Box, frame: { width: number; height: number }): Viewport {
  const space = spaceOf(frame);
  const zoom = clamp(Math.min(1, space.width / bounds.width, space.height / bounds.height));
  return {
    x: middle(margins.left, space.width, bounds.width * zoom) - bounds.x * zoom,
    y: middle(margins.top, space.height, bounds.height * zoom) - bounds.y * zoom,
    zoom,
  };
}

/** The initial view: everything if that is readable, otherwise the top part in the width of the window. */
export function firstView(bounds: Box, frame: { width: number; height: number }): Viewport {
  const whole = fitAll(bounds, frame);
  if (whole.zoom >= readableZoom) return whole;
  const space = spaceOf(frame);
  const zoom = clamp(Math.max(minFirstZoom, Math.min(1, space.width / bounds.width)));
  return {
    x: Math.max(margins.left, middle(margins.left, space.width, bounds.width * zoom)) - bounds.x * zoom,
    y: margins.top - bounds.y * zoom,
    zoom,
  };
}

/** The goal of the viewport: set by an action, valid until the next one. `hand`: moved by the user. */
export type Aim =
  | { to: "start" }
  | { to: "all" }
  | { to: "node"; id: string }
  | { to: "stay"; id: string; top: number }
  | { to: "view"; viewport: Viewport }
  | { to: "hand" };

interface View {
  viewport: Viewport;
  /** The uncovered part of the window, px. */
  frame: { width: number; height: number };
}

/**
 * Computes the viewport; `null`: no change. `isDue`: the aim, the frame or the graph has changed, so the aim is
 * applied. Otherwise it only keeps the selected node in view. At least one node is always in view afterwards.
 */
export function viewFor(
  aim: Aim,
  view: View & { nodes: readonly ModelNode[]; positions: Layout; isDue: boolean; isCentred: boolean },
): Viewport | null {
  const aimed = aimedView(aim, view);
  const isInView = view.nodes.some((node) => {
    const box = boxOf(node, view.positions);
    return box !== null && isInWindow(box, { viewport: aimed ?? view.viewport, frame: view.frame });
  });
  const bounds = boundsOf(view.nodes, view.positions);
  return isInView || !bounds ? aimed : firstView(bounds, view.frame);
}

function aimedView(
  aim: Aim,
  { nodes, positions, frame, viewport, isDue, isCentred }: Parameters<typeof viewFor>[1],
): Viewport | null {
  if (aim.to === "node" || aim.to === "stay") {
    const node = nodes.find(({ id }) => id === aim.id);
    const box = node && boxOf(node, positions);
    if (!box) return null;
    if (aim.to === "node")
      return (isDue && isCentred) || !isInView(box, { viewport, frame }) ? centreOn(box, { viewport, frame }) : null;
    const y = aim.top - box.y * viewport.zoom;
    return !isDue || y === viewport.y ? null : { ...viewport, y };
  }
  if (aim.to === "view") return isDue ? aim.viewport : null;
  const bounds = isDue && aim.to !== "hand" ? boundsOf(nodes, positions) : null;
  if (!bounds) return null;
  return aim.to === "all" ? fitAll(bounds, frame) : firstView(bounds, frame);
}

/** Completely visible below the toolbar, and readable. */
function isInView(box: Box, { viewport, frame }: View): boolean {
  const left = box.x * viewport.zoom + viewport.x;
  const top = box.y * viewport.zoom + viewport.y;
  const right = left + box.width * viewport.zoom;
  const bottom = top + box.height * viewport.zoom;
  return (
    left >= 0 &&
    top >= margins.top - 24 &&
    right <= frame.width &&
    bottom <= frame.height &&
    viewport.zoom >= minFirstZoom / 2
  );
}

function centreOn(box: Box, { viewport, frame }: View): Viewport {
  const zoom = Math.max(viewport.zoom, readableZoom);
  return {
    x: frame.width / 2 - (box.x + box.width / 2) * zoom,
    y: frame.height / 2 - (box.y + box.height / 2) * zoom,
    zoom,
  };
}

/** Whether a box is at least partly in the window. */
export function isInWindow(
  at: Point & { width: number; height: number },
  { viewport, frame }: { viewport: Viewport; frame: { width: number; height: number } },
): boolean {
  const { x, y, zoom } = viewport;
  const left = at.x * zoom + x;
  const top = at.y * zoom + y;
  return left < frame.width && top < frame.height && left + at.width * zoom > 0 && top + at.height * zoom > 0;
}

function spaceOf(frame: { width: number; height: number }) {
  return {
    width: Math.max(1, frame.width - margins.left - margins.right),
    height: Math.max(1, frame.height - margins.top - margins.bottom),
  };
}

function middle(start: number, space: number, size: number): number {
  return start + (space - size) / 2;
}

function clamp(zoom: number): number {
  return Math.min(zoomRange.max, Math.max(zoomRange.min, zoom));
}
