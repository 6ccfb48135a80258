"use client";

import { Background, type NodeChange, ReactFlow, useReactFlow, useStore } from "@xyflow/react";
import { Maximize, Minus, Plus } from "lucide-react";
import { type RefObject, useCallback, useEffect, useEffectEvent, useMemo, useRef, useState } from "react";
import { IconButton } from "../../ui/button.tsx";
import { isNowhere } from "../../ui/focus.ts";
import { CanvasProvider } from "../canvas-context.tsx";
import { FarEdges, FlowEdge as FlowEdgeView } from "./edges.tsx";
import type { EvidenceStore } from "../live/evidence.ts";
import { Minimap } from "./minimap.tsx";
import type { ModelNode } from "../model/canvas-model.ts";
import type { CanvasStorage } from "../canvas-storage.ts";
import { type FlowEdge, flowEdges, type FlowNode, flowNodes, positionsOf } from "./flow-elements.ts";
import { boxOf, farZoom, isInWindow, zoomRange } from "./viewport.ts";
import { type Layout, type Step, type VisibleGraph, walk } from "../model/visible-graph.ts";
import { EndpointNode } from "../nodes/endpoint-node.tsx";
import { TargetNode } from "../nodes/target-node.tsx";
import { TriggerNode } from "../nodes/trigger-node.tsx";
import { PulseLayer } from "../live/pulse-layer.tsx";
import type { Folds } from "../use-folds.ts";
import { type CanvasView, useViewport } from "./use-viewport.ts";

const steps: readonly Step[] = ["ArrowUp", "ArrowDown", "ArrowLeft", "ArrowRight"];

const nodeTypes = { endpoint: EndpointNode, trigger: TriggerNode, target: TargetNode };
const edgeTypes = { flow: FlowEdgeView };
const noEdges: FlowEdge[] = [];

interface Props {
  graph: VisibleGraph;
  layout: Layout;
  round: number;
  /** Identifies the filter and the collapsed endpoints. Together with `round` it identifies the layout. */
  shape: string;
  /** Height of the covered lower part, px. */
  covered: number;
  store: EvidenceStore;
  storage: CanvasStorage;
  selected: string | null;
  matchingIds: ReadonlySet<string> | null;
  folds: Folds;
  open: (id: string | null) => void;
  onSeen: (ids: readonly string[]) => void;
}

/** The canvas plane. Renders only visible nodes, and measures nothing: all sizes are given. */
export function FlowPlane({
  graph,
  layout,
  round,
  shape,
  covered,
  store,
  storage,
  selected,
  matchingIds,
  folds,
  open,
  onSeen,
}: Props) {
  const frame = useRef<HTMLDivElement>(null);
  const { moved, onNodesChange } = useMoved({ storage, round });
  const positions = useMemo(() => positionsOf(graph, { layout, moved }), [graph, layout, moved]);
  const [drawn] = useState(() => new WeakMap<ModelNode, FlowNode>());
  const nodes = useMemo(() => flowNodes(graph, { positions, drawn }), [graph, positions, drawn]);
  const edges = useMemo(() => flowEdges(graph), [graph]);
  const view = useViewport({
    graph,
    positions,
    shown: `${round} ${shape}`,
    covered,
    selected,
    matchingIds,
    storage,
    folds,
  });
  // When zoomed out, nodes show only larger names: other text would be unreadable, and slow for hundreds of nodes.
  const isFar = useStore((state) => state.transform[2] < farZoom);
  const reportSeen = useSeen({ graph, positions, onSeen });
  useCanvasKeys({ graph, positions, open, view, frame });
  const context = useMemo(
    () => ({ store, selected, matchingIds, collapsed: folds.collapsed, toggle: view.toggle, open }),
    [store, selected, matchingIds, folds.collapsed, view.toggle, open],
  );
  return (
    <CanvasProvider value={context}>
      <div
        ref={frame}
        role="group"
        data-far={isFar}
        aria-label="Canvas: arrow keys move between nodes, Enter opens a node, f fits all"
        className="group/canvas absolute inset-0 [--xy-attribution-background-color:transparent] [&_.react-flow\_\_attribution_a]:text-ink-3!"
      >
        <ReactFlow<FlowNode, FlowEdge>
          nodes={nodes}
          edges={isFar ? noEdges : edges}
          nodeTypes={nodeTypes}
          edgeTypes={edgeTypes}
          onNodesChange={onNodesChange}
          onMove={view.handleMove}
          onMoveEnd={(_, viewport) => {
            storage.keepViewport({ endpoint: graph.endpoint, node: selected, viewport });
            reportSeen();
          }}
          onlyRenderVisibleElements
          minZoom={zoomRange.min}
          maxZoom={zoomRange.max}
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
          {isFar && <FarEdges graph={graph} positions={positions} matchingIds={matchingIds} />}
          <PulseLayer graph={graph} positions={positions} />
        </ReactFlow>
        <ZoomControls view={view} />
        <Minimap graph={graph} positions={positions} selected={selected} onLookAt={view.lookAt} />
      </div>
    </CanvasProvider>
  );
}

function ZoomControls({ view }: { view: CanvasView }) {
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

/** Reports the visible nodes after each move of the viewport, so that only their traffic is loaded. */
function useSeen({
  graph,
  positions,
  onSeen,
}: {
  graph: VisibleGraph;
  positions: Layout;
  onSeen: (ids: readonly string[]) => void;
}): () => void {
  const { getViewport } = useReactFlow();
  const width = useStore((state) => state.width);
  const height = useStore((state) => state.height);
  const reportSeen = useCallback(() => {
    if (width === 0) return;
    const view = { viewport: getViewport(), frame: { width, height } };
    onSeen(
      graph.nodes.flatMap((node) => {
        const box = boxOf(node, positions);
        return box && isInWindow(box, view) ? [node.id] : [];
      }),
    );
  }, [graph, positions, onSeen, getViewport, width, height]);
  useEffect(reportSeen, [reportSeen]);
  return reportSeen;
}

/** The positions of dragged nodes. Stored for the next visit, and reset by a new `round`. */
function useMoved({ storage, round }: { storage: CanvasStorage; round: number }): {
  moved: Layout;
  onNodesChange: (changes: NodeChange<FlowNode>[]) => void;
} {
  const [state, setState] = useState(() => ({ round, moved: storage.moved() }));
  if (state.round !== round) setState({ round, moved: new Map() });
  const onNodesChange = useCallback(
    (changes: NodeChange<FlowNode>[]) => {
      const drags = changes.flatMap((change) =>
        change.type === "position" && change.position ? [{ ...change, position: change.position }] : [],
      );
      if (drags.length === 0) return;
      setState((before) => {
        const moved = new Map(before.moved);
        for (const { id, position } of drags) moved.set(id, { x: Math.round(position.x), y: Math.round(position.y) });
        if (drags.some(({ dragging }) => dragging === false)) storage.keepMoved(moved);
        return { ...before, moved };
      });
    },
    [storage],
  );
  return { moved: state.moved, onNodesChange };
}

/**
 * Arrow keys move between nodes, `f` fits, `+` and `-` zoom, `Esc` closes the sheet. Enter opens a node, as for every
 * link. The keys work on the canvas, and while no other element has the focus.
 */
function useCanvasKeys({
  graph,
  positions,
  open,
  view,
  frame,
}: {
  graph: VisibleGraph;
  positions: Layout;
  open: (id: string | null) => void;
  view: CanvasView;
  frame: RefObject<HTMLElement | null>;
}) {
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
    const step = steps.find((one) => one === event.key);
    const action = step
      ? () => moveFocus(step, event, { graph, positions, view, frame })
      : { f: view.fit, "+": view.zoomIn, "=": view.zoomIn, "-": view.zoomOut, Escape: () => open(null) }[event.key];
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
  {
    graph,
    positions,
    view,
    frame,
  }: { graph: VisibleGraph; positions: Layout; view: CanvasView; frame: RefObject<HTMLElement | null> },
): void {
  const from = event.target instanceof Element ? event.target.closest("[data-node]")?.getAttribute("data-node") : null;
  const to = from ? walk(graph, { from, step, layout: positions }) : graph.nodes[0]?.id;
  if (!to) return;
  view.show(to);
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
