"use client";

import { Background, ReactFlow, type ReactFlowInstance, useStore } from "@xyflow/react";
import { useMemo, useRef, useState } from "react";
import { CanvasProvider } from "./canvas-context.tsx";
import { FlowEdge as FlowEdgeView } from "./edges/flow-edge.tsx";
import { FarEdges } from "./edges/far-edges.tsx";
import type { EvidenceStore } from "./evidence-store.ts";
import { Minimap } from "./minimap.tsx";
import type { ModelNode } from "./model/build-model.ts";
import type { CanvasStorage } from "./model/canvas-storage.ts";
import type { Layout } from "./model/column-layout.ts";
import { type FlowEdge, type FlowNode, flowEdges, flowNodes, placesOf } from "./model/flow-elements.ts";
import { boundsOf, farZoom, firstView, zoomRange } from "./model/viewports.ts";
import type { VisibleGraph } from "./model/visible-graph.ts";
import { EndpointNode } from "./nodes/endpoint-node.tsx";
import { TargetNode } from "./nodes/target-node.tsx";
import { TriggerNode } from "./nodes/trigger-node.tsx";
import { PulseLayer } from "./pulse-layer.tsx";
import { useCanvasKeys } from "./use-canvas-keys.ts";
import { useClearOf } from "./use-clear-of.ts";
import { useFlight } from "./use-flight.ts";
import type { Folds } from "./use-folds.ts";
import { useMoved } from "./use-moved.ts";
import { useSeen } from "./use-seen.ts";
import { ZoomControls } from "./zoom-controls.tsx";

const nodeTypes = { endpoint: EndpointNode, trigger: TriggerNode, target: TargetNode };
const edgeTypes = { flow: FlowEdgeView };
const noEdges: FlowEdge[] = [];

interface Props {
  graph: VisibleGraph;
  layout: Layout;
  round: number;
  /** How much of its lower edge something else lies on, px. */
  covered: number;
  store: EvidenceStore;
  storage: CanvasStorage;
  selected: string | null;
  kept: ReadonlySet<string> | null;
  folds: Folds;
  open: (id: string | null) => void;
  onSeen: (ids: readonly string[]) => void;
}

/** The plane itself. Only what is in sight is drawn, and nothing is measured: all sizes are told. */
export function FlowPlane({ graph, layout, round, covered, store, storage, selected, kept, folds, open, onSeen }: Props) {
  const frame = useRef<HTMLDivElement>(null);
  const { moved, onNodesChange } = useMoved({ storage, round });
  const places = useMemo(() => placesOf(graph, { layout, moved }), [graph, layout, moved]);
  const [drawn] = useState(() => new WeakMap<ModelNode, FlowNode>());
  const nodes = useMemo(() => flowNodes(graph, { places, drawn }), [graph, places, drawn]);
  const edges = useMemo(() => flowEdges(graph), [graph]);
  const flight = useFlight({ graph, places, selected, kept, frame, folds });
  // From afar only names are drawn, larger: the rest could not be read, and would have to be painted for hundreds of nodes.
  const isFar = useStore((state) => state.transform[2] < farZoom);
  const look = useSeen({ graph, places, onSeen });
  useCanvasKeys({ graph, places, open, flight, frame });
  const context = useMemo(() => ({ store, selected, kept, collapsed: folds.collapsed, toggle: flight.toggle, open }), [store, selected, kept, folds.collapsed, flight.toggle, open]);
  const start = (coveredNow: number) => {
    const bounds = boundsOf(graph.nodes, places);
    const { current } = frame;
    return bounds && current ? firstView(bounds, { width: current.clientWidth, height: current.clientHeight - coveredNow }) : { x: 0, y: 0, zoom: 1 };
  };
  const [visited] = useState(() => storage.viewport());
  const onInit = ({ setViewport }: ReactFlowInstance<FlowNode, FlowEdge>) => void setViewport(visited ?? start(covered));
  useClearOf(covered, visited === null ? start : null);
  return (
    <CanvasProvider value={context}>
      <div ref={frame} role="group" data-far={isFar} aria-label="Canvas: arrow keys walk, Enter opens, f fits" className="group/canvas absolute inset-0 [--xy-attribution-background-color:transparent] [&_.react-flow\_\_attribution_a]:text-ink-3!">
        <ReactFlow<FlowNode, FlowEdge>
          nodes={nodes}
          edges={isFar ? noEdges : edges}
          nodeTypes={nodeTypes}
          edgeTypes={edgeTypes}
          onNodesChange={onNodesChange}
          onInit={onInit}
          onMoveEnd={(_, viewport) => {
            storage.keepViewport(viewport);
            look();
          }}
          onlyRenderVisibleElements
          minZoom={zoomRange.least}
          maxZoom={zoomRange.most}
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
          {isFar && <FarEdges graph={graph} places={places} kept={kept} />}
          <PulseLayer graph={graph} places={places} />
        </ReactFlow>
        <ZoomControls onFit={flight.fit} />
        <Minimap graph={graph} places={places} selected={selected} />
      </div>
    </CanvasProvider>
  );
}
