"use client";

import { useQueryClient } from "@tanstack/react-query";
import type { Node, NodeProps } from "@xyflow/react";
import { ChevronDown, ChevronRight } from "lucide-react";
import { type ComponentType, memo } from "react";
import { formatCount, formatMethods, formatNumber } from "../../../server/shared/format.ts";
import { useMay } from "../../auth/access.tsx";
import { jsonCurl } from "../../curl/curl-command.ts";
import { describeProblem } from "../../ui/problem-of.ts";
import { useTRPC } from "../../trpc/trpc.ts";
import { CopyButton } from "../../ui/controls/copy-button.tsx";
import { useToast } from "../../ui/overlays/toast.tsx";
import { useCanvas, useCanvasStore } from "../use-canvas.ts";
import type { EndpointActivity, GraphSource, SourceNode as Model } from "../../graph/canvas-model.ts";
import { endpointName } from "../../graph/node-content.ts";
import { NodeFrame } from "./node-frame.tsx";
import { sparkBars } from "./spark-bars.ts";

export type SourceFlowNode = Node<{ node: Model }, "source">;

export const SourceNode = memo(function SourceNode({ data: { node } }: NodeProps<SourceFlowNode>) {
  const Content = contents[node.source.kind];
  return <Content node={node} source={node.source} />;
});

interface SourceProps {
  node: Model;
  source: GraphSource;
}

const contents: Record<GraphSource["kind"], ComponentType<SourceProps>> = { webhook: Endpoint };

/** An endpoint: path, URL to copy, traffic in the time window. */
function Endpoint({ node, source }: SourceProps) {
  const activity = useCanvas(({ traffic }) => traffic.endpoint(node.id));
  const deliveries = activity?.buckets.reduce((sum, { count }) => sum + count, 0);
  return (
    <NodeFrame
      node={node}
      name={endpointName(node.label, { triggers: node.triggers.length, deliveries })}
      className="bg-panel"
    >
      <div className="flex h-4 items-center group-data-[far=true]/canvas:hidden text-xs tracking-[0.02em] text-ink-3">
        {formatMethods(source.methods)}
        <Fold node={node} />
      </div>
      <div className="mt-0.5 flex h-6 items-center gap-1">
        <code
          className="min-w-0 truncate font-semibold tracking-[-0.02em] group-data-[far=true]/canvas:text-xl"
          title={node.label}
        >
          {node.label}
        </code>
        <span className="relative ml-auto -mr-1.5 group-data-[far=true]/canvas:hidden">
          <CopyUrl endpoint={source.endpoint} />
        </span>
      </div>
      <div className="mt-auto h-7 group-data-[far=true]/canvas:hidden">
        <Sparkline activity={activity} endpoint={source.endpoint} trigger={node.triggers[0]} />
      </div>
    </NodeFrame>
  );
}

/** Collapses a source with several triggers: its edges then lead directly to the targets. */
function Fold({ node }: { node: Model }) {
  const { toggle } = useCanvasStore();
  const isCollapsed = useCanvas(({ graph }) => graph.collapsed.has(node.id));
  const count = node.triggers.length;
  if (count < 2) return null;
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

const height = 26;

/**
 * The traffic of the time window as bars, rejected deliveries in red. An endpoint without deliveries offers a curl
 * command.
 */
export function Sparkline({
  activity,
  endpoint,
  trigger,
}: {
  activity: EndpointActivity | undefined;
  endpoint: string;
  trigger: string | undefined;
}) {
  if (!activity) return <div className="h-full" />;
  if (activity.lastAt === null) {
    return (
      <p className="flex h-full items-end gap-1.5 text-s text-ink-3">
        No deliveries yet. {trigger && <CopyCurl endpoint={endpoint} trigger={trigger.replace(/^trigger:/, "")} />}
      </p>
    );
  }
  const { rejected, held } = activity.outcomes;
  const total = Object.values(activity.outcomes).reduce((sum, count) => sum + count, 0);
  if (total === 0) return <p className="flex h-full items-end text-s text-ink-3">No deliveries in this time window</p>;
  const bars = sparkBars(activity.buckets, height);
  const label = `${formatCount(total, "delivery", "deliveries")}, ${formatNumber(rejected)} rejected${held > 0 ? `, ${formatNumber(held)} held` : ""}`;
  return (
    <svg
      role="img"
      aria-label={label}
      viewBox={`0 0 ${bars.width} ${height}`}
      preserveAspectRatio="none"
      className="h-full w-full"
    >
      <path d={bars.base} className="fill-line" />
      <path d={bars.good} className="fill-accent opacity-60" />
      <path d={bars.bad} className="fill-bad opacity-85" />
    </svg>
  );
}

/** Copies the URL for a sender's settings. In a deployment it contains a key, which is loaded on click. */
export function CopyUrl({ endpoint }: { endpoint: string }) {
  const { url } = useUrls();
  return <CopyButton text={() => url(endpoint)} label={`Copy the URL of ${endpoint}`} />;
}

/** Copies a curl command with a generated body that matches the trigger. */
function CopyCurl({ endpoint, trigger }: { endpoint: string; trigger: string }) {
  const { curl } = useUrls();
  return (
    <span className="relative -my-1.5">
      <CopyButton text={() => curl({ endpoint, trigger })} label={`Copy curl for ${endpoint}`}>
        Copy curl
      </CopyButton>
    </span>
  );
}

function useUrls() {
  const trpc = useTRPC();
  const queries = useQueryClient();
  const toast = useToast();
  const mayOperate = useMay("operate");
  const url = async (endpoint: string): Promise<string> => {
    // Viewers cannot see keys, so their URL has none.
    if (!mayOperate) return `${window.location.origin}/triggers/${endpoint}`;
    try {
      return (await queries.fetchQuery({ ...trpc.triggers.url.queryOptions({ for: endpoint }), staleTime: 0 })).url;
    } catch (error) {
      toast({ tone: "bad", text: `The URL was not copied. ${describeProblem(error)}` });
      throw error;
    }
  };
  const curl = async ({ endpoint, trigger }: { endpoint: string; trigger: string }): Promise<string> => {
    const [to, { example }] = await Promise.all([
      url(endpoint),
      queries.fetchQuery(trpc.triggers.get.queryOptions({ slug: trigger })),
    ]);
    return jsonCurl({ url: to, text: JSON.stringify(example) });
  };
  return { url, curl };
}
