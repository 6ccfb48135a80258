"use client";

import type { Node, NodeProps } from "@xyflow/react";
import { Wrench } from "lucide-react";
import Link from "next/link";
import { memo } from "react";
import { isScriptedModel } from "../../../server/contract/agent/scripted-model.ts";
import { formatDuration } from "../../../server/shared/format.ts";
import { waitingHref } from "../../runs/list/run-filters.ts";
import { ApprovalMark, ScriptedModelBadge, StatusBadge, TargetIcon } from "../../ui/badges.tsx";
import { approvalStatus, isOpen, runStatuses } from "../../ui/statuses.ts";
import { useCanvas } from "../use-canvas.ts";
import type { GraphAgent, TargetNode as Model, TargetActivity } from "../../graph/canvas-model.ts";
import { describeRuns, shownTools, successRate, targetName } from "../../graph/node-content.ts";
import { NodeFrame } from "./node-frame.tsx";

export type TargetFlowNode = Node<{ node: Model }, "target">;

/** A workflow or an agent: status of its last run, success rate, duration. */
export const TargetNode = memo(function TargetNode({ data: { node } }: NodeProps<TargetFlowNode>) {
  const activity = useCanvas(({ traffic }) => traffic.target(node.id));
  const { kind, slug, file, agent } = node.target;
  return (
    <NodeFrame node={node} name={targetName(node.target, activity)} className="bg-raised">
      <div className="flex h-5 items-center gap-1.5 text-xs tracking-[0.02em] text-ink-3 group-data-[far=true]/canvas:hidden">
        <TargetIcon kind={kind} />
        {kind}
        {/* Beside the longer mark of an approval there is no space for it. */}
        {agent && !activity?.waitingForApproval && <ToolCount tools={agent.tools.length} />}
        {activity?.lastRun && (
          <span className="-mr-1 ml-auto shrink-0">
            <LastRun activity={activity} />
          </span>
        )}
      </div>
      <div className="mt-0.5 flex h-5 items-center font-semibold tracking-[-0.005em]">
        <span className="truncate group-data-[far=true]/canvas:text-xl" title={file}>
          {slug}
        </span>
      </div>
      {agent && <AgentLines agent={agent} activity={activity} />}
      <TargetNumbers activity={activity} isAttached={node.triggers.length > 0} />
    </NodeFrame>
  );
});

function ToolCount({ tools }: { tools: number }) {
  return <span className="truncate">· {tools === 1 ? "1 tool" : `${tools || "no"} tools`}</span>;
}

const lineClass = "flex h-[19px] min-w-0 items-center gap-1.5 text-s/[19px]";

/** An agent's model and tools, one line each, so the height of the node is known before rendering. */
export function AgentLines({ agent, activity }: { agent: GraphAgent; activity: TargetActivity | undefined }) {
  const { shown, others } = shownTools(agent);
  const { provider, modelId } = agent.model;
  return (
    <div className="mt-0.5 group-data-[far=true]/canvas:hidden">
      <p className={`${lineClass} text-ink-2`} title={`${provider}, ${modelId}`}>
        {isScriptedModel(agent.model) && <ScriptedModelBadge isAnswered={activity?.hasModelBeyondBuild} />}
        <code className="truncate">{modelId}</code>
        {!isScriptedModel(agent.model) && <span className="min-w-0 shrink-[3] truncate text-ink-3">{provider}</span>}
      </p>
      {(shown.length > 0 || others > 0) && (
        <ul aria-label="Tools">
          {shown.map((tool) => (
            <li key={tool.name} className={lineClass}>
              <Wrench aria-hidden size={11} className="shrink-0 text-ink-3" />
              <code className="truncate" title={tool.name}>
                {tool.name}
              </code>
              <ApprovalMark needs={tool.needsApproval} />
            </li>
          ))}
          {others > 0 && <li className={`${lineClass} text-ink-3`}>and {others} more</li>}
        </ul>
      )}
    </div>
  );
}

/** Links to the last run with its status. Runs that wait for approval take precedence. */
export function LastRun({
  activity: { target, lastRun: run, open, waitingForApproval },
}: {
  activity: TargetActivity;
}) {
  if (waitingForApproval > 0) {
    return (
      <Link
        href={waitingHref(target.slug)}
        prefetch={false}
        draggable={false}
        title="Runs that wait for approval"
        className="relative flex rounded-full hover:brightness-95"
      >
        <StatusBadge
          status={approvalStatus}
          label={waitingForApproval > 1 ? `${waitingForApproval} wait for approval` : approvalStatus.label}
        />
      </Link>
    );
  }
  if (!run) return null;
  const status = runStatuses[run.status];
  const label = isOpen(run.status) && open > 1 ? `${status.label} ${open}` : status.label;
  return (
    <Link
      href={`/runs/${encodeURIComponent(run.id)}`}
      prefetch={false}
      draggable={false}
      title="Last run"
      aria-label={`Last run: ${label}`}
      className="relative flex rounded-full hover:brightness-95"
    >
      <StatusBadge status={status} label={label} />
    </Link>
  );
}

/** `98 % · p50 420 ms · 388 runs`. */
export function TargetNumbers({ activity, isAttached }: { activity: TargetActivity | undefined; isAttached: boolean }) {
  if (!activity) return <p className="mt-auto h-[18px]" />;
  const rate = successRate(activity);
  const parts = [
    rate,
    activity.p50Ms === null ? null : `p50 ${formatDuration(activity.p50Ms)}`,
    activity.runs > 0 ? describeRuns(activity) : null,
  ].filter((part) => part !== null);
  const rest = activity.lastRun
    ? "no runs in this time window"
    : isAttached
      ? "never ran"
      : "never ran · no trigger starts it";
  return (
    <p className="mt-auto truncate group-data-[far=true]/canvas:hidden text-s/[18px] text-ink-2 tabular-nums">
      {parts.length > 0 ? parts.join(" · ") : rest}
    </p>
  );
}
