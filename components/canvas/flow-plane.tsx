"use client";

import { Background, ReactFlow, useStore } from "@xyflow/react";
import { useMemo, useRef, useState } from "react";
import { CanvasProvider } from "./canvas-context.tsx";
import { FlowEdge as FlowEdgeView } from "./edges/flow-edge.tsx";
import { FarEdges } from "./edges/far-edges.tsx";
import type { EvidenceStore } from "./evidence-store.ts";
import { Minimap } from "./minimap.tsx";
import type { ModelNode } from "./model/build-model.ts";
import type { CanvasStorage } from "./model/canvas-storage.ts";
import type { Layout } from "./model/column-layout.ts";
import { type FlowEdge, type FlowNode, flowEdges, flowNodes, positionsOf } from "./model/flow-elements.ts";
import { farZoom, zoomRange } from "./model/viewports.ts";
import type { VisibleGraph } from "./model/visible-graph.ts";
import { EndpointNode } from "./nodes/endpoint-node.tsx";
import { TargetNode } from "./nodes/target-node.tsx";
import { TriggerNode } from "./nodes/trigger-node.tsx";
import { PulseLayer } from "./pulse-layer.tsx";
import { useCanvasKeys } from "./use-canvas-keys.ts";
import type { Folds } from "./use-folds.ts";
import { useMoved } from "./use-moved.ts";
import { useSeen } from "./use-seen.ts";
import { useViewport } from "./use-viewport.ts";
import { ZoomControls } from "./zoom-controls.tsx";

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
  const look = useSeen({ graph, positions, onSeen });
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
            look();
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
