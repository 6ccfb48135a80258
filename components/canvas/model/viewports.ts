import type { ModelNode } from "./build-model.ts";
import type { Viewport } from "./canvas-storage.ts";
import type { Layout, Point } from "./column-layout.ts";
import { nodeSize } from "./node-size.ts";

export interface Box {
  x: number;
  y: number;
  width: number;
  height: number;
}

export const zoomRange = { least: 0.08, most: 2 };

/** Below this zoom nodes show their names only. */
export const farZoom = 0.4;

/** What stays free of nodes at the edges of the window: the toolbar above, some air elsewhere. */
const margins = { top: 72, right: 40, bottom: 40, left: 40 };
/** Below this zoom nobody can read a node. */
const readable = 0.6;

/** The least box around all nodes; `null` where there is none. */
export function boundsOf(nodes: readonly ModelNode[], places: Layout): Box | null {
  const boxes = nodes.flatMap((node) => boxOf(node, places) ?? []);
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

export function boxOf(node: ModelNode, places: Layout): Box | null {
  const at = places.get(node.id);
  return at ? { ...at, ...nodeSize(node) } : null;
}

/** All of it in the middle of the window, no larger than life. */
export function fitAll(bounds: Box, frame: { width: number; height: number }): Viewport {
  const room = roomOf(frame);
  const zoom = clamp(Math.min(1, room.width / bounds.width, room.height / bounds.height));
  return {
    x: middle(margins.left, room.width, bounds.width * zoom) - bounds.x * zoom,
    y: middle(margins.top, room.height, bounds.height * zoom) - bounds.y * zoom,
    zoom,
  };
}

/** On the first visit: all of it where that can be read, else its top, as wide as the window. */
export function firstView(bounds: Box, frame: { width: number; height: number }): Viewport {
  const whole = fitAll(bounds, frame);
  if (whole.zoom >= readable) return whole;
  const room = roomOf(frame);
  const zoom = clamp(Math.max(readable, Math.min(1, room.width / bounds.width)));
  return {
    x: Math.max(margins.left, middle(margins.left, room.width, bounds.width * zoom)) - bounds.x * zoom,
    y: margins.top - bounds.y * zoom,
    zoom,
  };
}

/** What the canvas is meant to show: set by one action, in force until the next one. `hand`: where the person left it. */
export type Aim =
  | { to: "start" }
  | { to: "all" }
  | { to: "node"; id: string }
  | { to: "stay"; id: string; top: number }
  | { to: "hand" };

interface View {
  viewport: Viewport;
  /** The part of the window that nothing covers, px. */
  frame: { width: number; height: number };
}

/**
 * The one rule for the viewport; `null`: it stays. `isDue`: the aim, the frame or what is shown is another one than
 * before, so the aim is applied. Otherwise only what is selected is kept in view. In every case some node is in view
 * afterwards.
 */
export function viewFor(
  aim: Aim,
  p: View & { nodes: readonly ModelNode[]; places: Layout; isDue: boolean; isCentred: boolean },
): Viewport | null {
  const aimed = aimedView(aim, p);
  const isInView = p.nodes.some((node) => {
    const box = boxOf(node, p.places);
    return box !== null && isInWindow(box, { viewport: aimed ?? p.viewport, frame: p.frame });
  });
  const bounds = boundsOf(p.nodes, p.places);
  return isInView || !bounds ? aimed : firstView(bounds, p.frame);
}

function aimedView(
  aim: Aim,
  { nodes, places, frame, viewport, isDue, isCentred }: Parameters<typeof viewFor>[1],
): Viewport | null {
  if (aim.to === "node" || aim.to === "stay") {
    const node = nodes.find(({ id }) => id === aim.id);
    const box = node && boxOf(node, places);
    if (!box) return null;
    if (aim.to === "node")
      return (isDue && isCentred) || !isInView(box, { viewport, frame }) ? centreOn(box, { viewport, frame }) : null;
    const y = aim.top - box.y * viewport.zoom;
    return !isDue || y === viewport.y ? null : { ...viewport, y };
  }
  const bounds = isDue && aim.to !== "hand" ? boundsOf(nodes, places) : null;
  if (!bounds) return null;
  return aim.to === "all" ? fitAll(bounds, frame) : firstView(bounds, frame);
}

/** Whole, below the toolbar, and large enough to be read. */
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
    viewport.zoom >= readable / 2
  );
}

function centreOn(box: Box, { viewport, frame }: View): Viewport {
  const zoom = Math.max(viewport.zoom, 0.9);
  return {
    x: frame.width / 2 - (box.x + box.width / 2) * zoom,
    y: frame.height / 2 - (box.y + box.height / 2) * zoom,
    zoom,
  };
}

/** The part of the plane that the window shows, with something around it. */
export function isInWindow(
  at: Point & { width: number; height: number },
  p: { viewport: Viewport; frame: { width: number; height: number } },
): boolean {
  const { x, y, zoom } = p.viewport;
  const left = at.x * zoom + x;
  const top = at.y * zoom + y;
  return left < p.frame.width && top < p.frame.height && left + at.width * zoom > 0 && top + at.height * zoom > 0;
}

function roomOf(frame: { width: number; height: number }) {
  return {
    width: Math.max(1, frame.width - margins.left - margins.right),
    height: Math.max(1, frame.height - margins.top - margins.bottom),
  };
}

function middle(start: number, room: number, size: number): number {
  return start + (room - size) / 2;
}

function clamp(zoom: number): number {
  return Math.min(zoomRange.most, Math.max(zoomRange.least, zoom));
}
