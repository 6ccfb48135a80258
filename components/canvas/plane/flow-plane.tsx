"use client";

import { Background, type NodeChange, ReactFlow, useStore } from "@xyflow/react";
import { LocateFixed, Maximize, Minus, Plus } from "lucide-react";
import {
  type RefObject,
  type SyntheticEvent,
  useCallback,
  useEffect,
  useEffectEvent,
  useLayoutEffect,
  useMemo,
  useRef,
  useState,
} from "react";
import { hasSingleKeys } from "../../ui/shortcuts.ts";
import { Button, IconButton } from "../../ui/controls/button.tsx";
import { isNowhere } from "../../ui/focus.ts";
import type { CanvasStore } from "../canvas-store.ts";
import { PulseLayer } from "../live/pulse-layer.tsx";
import type { ModelNode } from "../../graph/canvas-model.ts";
import { type Layout, type Step, type VisibleGraph, walk } from "../../graph/visible-graph.ts";
import { SourceNode } from "../nodes/source-node.tsx";
import { TargetNode } from "../nodes/target-node.tsx";
import { TriggerNode } from "../nodes/trigger-node.tsx";
import { useCanvas, useCanvasStore } from "../use-canvas.ts";
import { FarEdges, FlowEdge as FlowEdgeView } from "./edges.tsx";
import { type FlowEdge, flowEdges, type FlowNode, flowNodes } from "./flow-elements.ts";
import { Minimap } from "./minimap.tsx";
import type { View } from "./view.ts";
import { boxOf, farZoom, isInWindow, zoomRange } from "./viewport.ts";

const steps: readonly Step[] = ["ArrowUp", "ArrowDown", "ArrowLeft", "ArrowRight"];

const nodeTypes = { source: SourceNode, trigger: TriggerNode, target: TargetNode };
const edgeTypes = { flow: FlowEdgeView };
const noEdges: FlowEdge[] = [];

/** The canvas plane. Renders only visible nodes, and measures nothing: all sizes are given. */
export function FlowPlane({ graph }: { graph: VisibleGraph }) {
  const store = useCanvasStore();
  const { view } = store;
  const frame = useFrame(store);
  const positions = useCanvas((state) => state.positions);
  // Too many edges would hide each other.
  const drawn = useCanvas(({ lit }) => (graph.isLarge ? lit : null));
  const [known] = useState(() => new WeakMap<ModelNode, FlowNode>());
  const nodes = useMemo(() => flowNodes(graph, { positions, known }), [graph, positions, known]);
  const edges = useMemo(() => flowEdges(graph, drawn), [graph, drawn]);
  // When zoomed out, nodes show only larger names: other text would be unreadable, and slow for hundreds of nodes.
  const isFar = useStore((state) => state.transform[2] < farZoom);
  useCanvasKeys(store, frame);
  const onNodesChange = useCallback(
    (changes: NodeChange<FlowNode>[]) => {
      for (const change of changes) {
        if (change.type !== "position" || !change.position) continue;
        const { x, y } = change.position;
        store.drag(change.id, { x: Math.round(x), y: Math.round(y) }, change.dragging === false);
      }
    },
    [store],
  );
  const hoverNode = ({ target }: SyntheticEvent) => {
    const id = nodeIdAt(target);
    // Between two nodes the last one keeps its edges, so that their numbers can be reached.
    if (id !== null) store.hover(id);
  };
  const handleMove = (event: unknown) => {
    if (event) view.handleMove();
  };
  return (
    <div
      ref={frame}
      role="group"
      data-far={isFar}
      aria-label="Canvas: arrow keys move between nodes, Enter opens a node, f fits all"
      onPointerOver={hoverNode}
      onFocus={hoverNode}
      onPointerLeave={() => store.hover(null)}
      className="group/canvas absolute inset-0 [--xy-attribution-background-color:transparent] [&_.react-flow\_\_attribution_a]:text-ink-3!"
    >
      <ReactFlow<FlowNode, FlowEdge>
        nodes={nodes}
        edges={isFar ? noEdges : edges}
        nodeTypes={nodeTypes}
        edgeTypes={edgeTypes}
        onInit={view.attach}
        onNodesChange={onNodesChange}
        onMoveStart={handleMove}
        onMove={handleMove}
        onMoveEnd={(_, viewport) => store.keepViewport(viewport)}
        onlyRenderVisibleElements
        minZoom={zoomRange.min}
        maxZoom={zoomRange.max}
        panOnScroll
        nodeDragThreshold={4}
        elementsSelectable={false}
        nodesFocusable={false}
        edgesFocusable={false}
        nodesConnectable={false}
        disableKeyboardA11y
        zoomOnDoubleClick={false}
        deleteKeyCode={null}
        attributionPosition="bottom-center"
      >
        <Background gap={22} size={1.6} color="var(--line)" />
        {isFar && <FarEdges graph={graph} positions={positions} drawn={drawn} />}
        <PulseLayer graph={graph} positions={positions} />
      </ReactFlow>
      <BringIntoView graph={graph} positions={positions} view={view} />
      <ZoomControls view={view} />
      <Minimap graph={graph} positions={positions} onLookAt={view.lookAt} />
    </div>
  );
}

/** The element of the canvas. Reports its size to the store. */
function useFrame(store: CanvasStore): RefObject<HTMLDivElement | null> {
  const frame = useRef<HTMLDivElement>(null);
  useLayoutEffect(() => {
    const { current } = frame;
    if (!current) return;
    const measure = () => store.resize({ width: current.clientWidth, height: current.clientHeight });
    measure();
    const observer = new ResizeObserver(measure);
    observer.observe(current);
    return () => observer.disconnect();
  }, [store]);
  return frame;
}

/** The node that contains an element, or whose edge it belongs to. */
function nodeIdAt(target: EventTarget): string | null {
  return target instanceof Element ? (target.closest("[data-node]")?.getAttribute("data-node") ?? null) : null;
}

/** Shown when the user has moved all nodes out of the window. */
function BringIntoView({ graph, positions, view }: { graph: VisibleGraph; positions: Layout; view: View }) {
  const isLost = useStore(({ transform: [x, y, zoom], width, height }) => {
    const isVisible = (node: ModelNode) => {
      const box = boxOf(node, positions);
      return box !== null && isInWindow(box, { viewport: { x, y, zoom }, frame: { width, height } });
    };
    return width > 0 && graph.nodes.length > 0 && !graph.nodes.some(isVisible);
  });
  if (!isLost) return null;
  return (
    <div className="pointer-events-none absolute inset-0 z-10 grid place-content-center">
      <Button icon={LocateFixed} onClick={view.start} className="pointer-events-auto shadow-floating">
        Bring into view
      </Button>
    </div>
  );
}

function ZoomControls({ view }: { view: View }) {
  return (
    <div
      role="group"
      aria-label="Zoom"
      className="absolute bottom-3.5 left-4 z-10 flex flex-col rounded-m border bg-raised shadow-raised"
    >
      <IconButton label="Zoom in (+)" icon={Plus} onClick={view.zoomIn} />
      <IconButton label="Zoom out (-)" icon={Minus} onClick={view.zoomOut} />
      <IconButton label="Show all (f)" icon={Maximize} onClick={view.fit} />
    </div>
  );
}

/**
 * Arrow keys move between nodes, `f` fits, `+` and `-` zoom, `Esc` closes the sheet. Enter opens a node, as for every
 * link. The keys work on the canvas, and while no other element has the focus.
 */
function useCanvasKeys(store: CanvasStore, frame: RefObject<HTMLElement | null>): void {
  const { view } = store;
  const onKeyDown = useEffectEvent((event: KeyboardEvent) => {
    const isOnCanvas = event.target instanceof Node && frame.current?.contains(event.target);
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
    if (!isOnCanvas && event.key.length === 1 && !hasSingleKeys()) return;
    const step = steps.find((one) => one === event.key);
    const action = step
      ? () => moveFocus(step, event, store, frame)
      : {
          f: view.fit,
          "+": view.zoomIn,
          "=": view.zoomIn,
          "-": view.zoomOut,
          Escape: () => store.get().open(null),
        }[event.key];
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

function moveFocus(step: Step, event: KeyboardEvent, store: CanvasStore, frame: RefObject<HTMLElement | null>): void {
  const { arranged, positions } = store.get();
  if (!arranged) return;
  const from = event.target && nodeIdAt(event.target);
  const to = from ? walk(arranged.graph, { from, step, layout: positions }) : arranged.graph.nodes[0]?.id;
  if (!to) return;
  store.view.show(to);
  focusWhenDrawn(to, frame, 40);
}

/** A node outside the view is rendered only during the move, so this retries for some frames. */
function focusWhenDrawn(id: string, frame: RefObject<HTMLElement | null>, tries: number): void {
  const link = [...(frame.current?.querySelectorAll("[data-node]") ?? [])]
    .find((node) => node.getAttribute("data-node") === id)
    ?.querySelector("a[data-node-link]");
  if (link instanceof HTMLElement) link.focus({ preventScroll: true });
  else if (tries > 0) requestAnimationFrame(() => focusWhenDrawn(id, frame, tries - 1));
}
