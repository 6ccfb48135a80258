import type { ReactFlowInstance } from "@xyflow/react";
import { prefersReducedMotion } from "../../ui/browser.ts";
import type { CanvasStorage, Viewport } from "../canvas-storage.ts";
import type { ModelNode } from "../../graph/canvas-model.ts";
import type { Layout, Point } from "../../graph/visible-graph.ts";
import { type Aim, boxOf, isInWindow, viewFor } from "./viewport.ts";

type Plane = Pick<ReactFlowInstance, "getViewport" | "setViewport" | "zoomIn" | "zoomOut" | "setCenter">;

/** What is on the plane. */
interface Scene {
  /** Identifies the filter; empty without one. */
  filter: string;
  /** Identifies the filter, the collapsed endpoints and the layout round. */
  occasion: string;
  nodes: readonly ModelNode[];
  positions: Layout;
  /** The opened node. */
  opened: string | null;
}

/**
 * The only code that sets the viewport. Actions set an aim. `viewFor` derives the viewport from the aim, the scene and
 * the frame whenever one of them changes, for example when a layout arrives late or a sheet opens. Moving the canvas by
 * hand ends the aim.
 */
export interface View {
  attach(plane: Plane): void;
  resize(frame: { width: number; height: number }): void;
  /** The height of the covered lower part of the window, px. */
  cover(height: number): void;
  update(scene: Scene): void;
  /** Shows the whole canvas. */
  fit(): void;
  /** Shows the beginning of the canvas, or all of it if that is readable. */
  start(): void;
  /** Brings a node into view. */
  show(id: string): void;
  /** Keeps a node at its position on the screen. */
  stay(id: string): void;
  zoomIn(): void;
  zoomOut(): void;
  /** Centres another part of the canvas, chosen on the minimap. */
  lookAt(centre: Point): void;
  /** The user moves the plane. */
  handleMove(): void;
  /** The ids of the nodes in the window. */
  visibleIds(): string[];
}

const flightMs = 380;
const zoomMs = 150;
const origin: Viewport = { x: 0, y: 0, zoom: 1 };

export function createView(storage: Pick<CanvasStorage, "viewport">): View {
  let plane: Plane | null = null;
  let frame = { width: 0, height: 0 };
  let covered = 0;
  let scene: Scene | null = null;
  let placed: string | null = null;
  let aim: Aim = { to: "start" };
  let applied: { aim: Aim; occasion: string; isCentred: boolean } | null = null;
  /** The end of the active animation; `null`: none. */
  let goal: Viewport | null = null;
  /** The viewport before the filter was set. */
  let unfiltered: Viewport | null = null;

  const viewport = () => goal ?? plane?.getViewport() ?? origin;
  const size = () => ({ width: frame.width, height: frame.height - covered });
  const apply = () => {
    if (!plane || !scene || frame.width === 0) return;
    const on = { nodes: scene.nodes, positions: scene.positions, frame: size() };
    const occasion = `${scene.occasion} ${on.frame.width} ${on.frame.height}`;
    const first = { ...on, viewport: origin, isDue: true, isCentred: false };
    const from = applied ? viewport() : (viewFor({ to: "start" }, first) ?? origin);
    const isCentred = applied?.aim === aim && applied.isCentred;
    const isDue = applied?.aim !== aim || applied.occasion !== occasion;
    const aimed = viewFor(aim, { ...on, viewport: from, isDue, isCentred });
    const isFlight = applied !== null && (aim.to === "all" || aim.to === "node") && !prefersReducedMotion();
    const next = aimed ?? (applied ? null : from);
    applied = { aim, occasion, isCentred: isCentred || (aimed !== null && aim.to === "node") };
    if (!next) return;
    goal = next;
    void plane.setViewport(next, isFlight ? { duration: flightMs } : {});
  };
  const setAim = (next: Aim) => {
    aim = next;
    apply();
  };
  const byHand = (move: (on: Plane) => Promise<boolean>) => {
    goal = null;
    aim = { to: "hand" };
    if (plane) void move(plane);
  };
  /** After a reload, the tab's last viewport is shown again, if the same node is open. */
  const restore = (filter: string) => {
    const last = storage.viewport(filter);
    placed = last?.node ?? null;
    aim = last ? { to: "view", viewport: last.viewport } : { to: "start" };
  };

  return {
    attach(next) {
      if (plane) {
        // The window was narrow in between, without a canvas.
        if (aim.to === "hand" && scene) restore(scene.filter);
        applied = null;
      }
      plane = next;
      goal = null;
      apply();
    },
    resize(next) {
      frame = next;
      apply();
    },
    cover(height) {
      covered = height;
      apply();
    },
    update(next) {
      const before = scene;
      scene = next;
      if (!before) restore(next.filter);
      else if (before.filter !== next.filter) {
        if (before.filter === "") unfiltered = viewport();
        aim = next.filter === "" && unfiltered ? { to: "view", viewport: unfiltered } : { to: "start" };
      }
      const opened = next.opened !== null && next.positions.has(next.opened) ? next.opened : null;
      if (opened !== placed) {
        if (opened !== null) aim = { to: "node", id: opened };
        else if (before?.filter === next.filter) aim = { to: "hand" };
      }
      placed = opened;
      apply();
    },
    fit: () => setAim({ to: "all" }),
    start: () => setAim({ to: "start" }),
    show: (id) => setAim({ to: "node", id }),
    stay(id) {
      const at = scene?.positions.get(id);
      const { y, zoom } = viewport();
      if (at) aim = { to: "stay", id, top: at.y * zoom + y };
    },
    zoomIn: () => byHand((on) => on.zoomIn({ duration: zoomMs })),
    zoomOut: () => byHand((on) => on.zoomOut({ duration: zoomMs })),
    lookAt: ({ x, y }) => byHand((on) => on.setCenter(x, y, { zoom: on.getViewport().zoom })),
    handleMove() {
      goal = null;
      aim = { to: "hand" };
    },
    visibleIds() {
      if (!scene) return [];
      const { nodes, positions } = scene;
      const window = { viewport: viewport(), frame: size() };
      return nodes.flatMap((node) => {
        const box = boxOf(node, positions);
        return box && isInWindow(box, window) ? [node.id] : [];
      });
    },
  };
}
