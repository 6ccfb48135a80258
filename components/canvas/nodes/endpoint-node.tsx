"use client";

import type { Node, NodeProps } from "@xyflow/react";
import { ChevronDown, ChevronRight } from "lucide-react";
import { memo } from "react";
import { useCanvas, useEndpointActivity } from "../canvas-context.tsx";
import { CopyUrl } from "../copy-url.tsx";
import type { EndpointNode as Model } from "../model/build-model.ts";
import { endpointName } from "../model/node-name.ts";
import { Sparkline } from "../sparkline.tsx";
import { NodeFrame } from "./node-frame.tsx";

export type EndpointFlowNode = Node<{ node: Model }, "endpoint">;

/** An endpoint: path, URL to copy, traffic in the time window. */
export const EndpointNode = memo(function EndpointNode({ data: { node } }: NodeProps<EndpointFlowNode>) {
  const activity = useEndpointActivity(node.id);
  const deliveries = activity?.buckets.reduce((sum, { count }) => sum + count, 0);
  return (
    <NodeFrame
      node={node}
      name={endpointName(node.path, { triggers: node.triggers.length, deliveries })}
      className="bg-panel"
    >
      <div className="flex h-4 items-center group-data-[far=true]/canvas:hidden text-xs tracking-[0.02em] text-ink-3">
        POST
        <Fold node={node} />
      </div>
      <div className="mt-0.5 flex h-6 items-center gap-1">
        <code
          className="min-w-0 truncate font-semibold tracking-[-0.02em] group-data-[far=true]/canvas:text-xl"
          title={node.path}
        >
          {node.path}
        </code>
        <span className="relative ml-auto -mr-1.5 group-data-[far=true]/canvas:hidden">
          <CopyUrl endpoint={node.endpoint} />
        </span>
      </div>
      <div className="mt-auto h-7 group-data-[far=true]/canvas:hidden">
        <Sparkline activity={activity} endpoint={node.endpoint} trigger={node.triggers[0]} />
      </div>
    </NodeFrame>
  );
});

/** Collapses an endpoint with several triggers: its edges then lead directly to the targets. */
function Fold({ node }: { node: Model }) {
  const { collapsed, toggle } = useCanvas();
  const count = node.triggers.length;
  if (count < 2) return null;
  const isCollapsed = collapsed.has(node.id);
  const Icon = isCollapsed ? ChevronRight : ChevronDown;
  return (
    <button
      type="button"
      aria-expanded={!isCollapsed}
      title={isCollapsed ? "Expand the triggers" : "Collapse the triggers"}
      onClick={() => toggle(node.id)}
      className={`relative ml-auto -mr-1.5 inline-flex h-6 cursor-pointer items-center gap-0.5 rounded-s pr-0.5 pl-1.5 hover:bg-sunken hover:text-ink ${isCollapsed ? "bg-accent-soft font-[550] text-accent" : ""}`}
    >
      {count} triggers
      <Icon aria-hidden size={13} />
    </button>
  );
}
