"use client";

import { ArrowRight } from "lucide-react";
import Link from "next/link";
import type { MouseEvent, ReactNode } from "react";
import { useDisabled } from "../sheets/use-disabled.ts";
import { StatusBadge } from "../ui/status-badge.tsx";
import { verdictOutcomes } from "../ui/statuses.ts";
import { TargetIcon } from "../ui/target-icon.tsx";
import { useCanvas, useEndpointActivity, useEvidence, useTargetActivity } from "./canvas-context.tsx";
import { CopyUrl } from "./copy-url.tsx";
import { EvidenceChip } from "./evidence-chip.tsx";
import type { CanvasModel, EndpointNode, TargetNode, TriggerNode } from "./model/build-model.ts";
import { AgentLines } from "./nodes/agent-lines.tsx";
import { Conditions, Prompts } from "./nodes/trigger-node.tsx";
import { LastRun, TargetNumbers } from "./nodes/target-node.tsx";
import { Sparkline } from "./sparkline.tsx";

/** One endpoint with its triggers and their targets, for a narrow screen. */
export function EndpointCard({ endpoint, model }: { endpoint: EndpointNode; model: CanvasModel }) {
  const { matchingIds } = useCanvas();
  const activity = useEndpointActivity(endpoint.id);
  const triggers = endpoint.triggers.flatMap((id) => {
    const node = model.byId.get(id);
    return node?.kind === "trigger" && (matchingIds?.has(id) ?? true) ? [node] : [];
  });
  return (
    <section aria-label={`Endpoint ${endpoint.path}`} className="overflow-hidden rounded-l border bg-panel">
      <div className="border-b px-4 py-3">
        <div className="flex items-center gap-2">
          <span className="text-xs text-ink-3">POST</span>
          <NodeLink id={endpoint.id} className="min-w-0 truncate font-mono font-semibold">
            {endpoint.path}
          </NodeLink>
          <span className="-my-1 ml-auto">
            <CopyUrl endpoint={endpoint.endpoint} />
          </span>
        </div>
        <div className="mt-1.5 h-7">
          <Sparkline activity={activity} endpoint={endpoint.endpoint} trigger={endpoint.triggers[0]} />
        </div>
      </div>
      <ul>
        {triggers.map((trigger) => (
          <TriggerItem key={trigger.id} trigger={trigger} model={model} />
        ))}
      </ul>
    </section>
  );
}

function TriggerItem({ trigger, model }: { trigger: TriggerNode; model: CanvasModel }) {
  const evidence = useEvidence(trigger.attachmentIds);
  const isOff = Boolean(useDisabled(trigger.slug));
  return (
    <li className="border-b px-4 py-3 last:border-0">
      <div className="flex min-h-5 items-center justify-between gap-2">
        <NodeLink id={trigger.id} className="min-w-0 truncate font-semibold">
          {trigger.slug}
        </NodeLink>
        {isOff && <StatusBadge face={verdictOutcomes.disabled} label="off" />}
        {evidence && <EvidenceChip evidence={evidence} endpoint={trigger.endpoint} trigger={trigger.slug} />}
      </div>
      <Conditions node={trigger} />
      <Prompts node={trigger} />
      {trigger.attachments.map(({ target }) => {
        const node = model.byId.get(target);
        return node?.kind === "target" ? (
          <div key={target} className="mt-2 flex gap-2">
            <ArrowRight aria-label="starts" size={14} className="mt-0.5 shrink-0 text-ink-3" />
            <TargetLink target={node} />
          </div>
        ) : null;
      })}
    </li>
  );
}

export function TargetLink({ target }: { target: TargetNode }) {
  const activity = useTargetActivity(target.id);
  return (
    <div className="min-w-0 flex-1">
      <div className="flex items-center gap-1.5">
        <TargetIcon kind={target.target.kind} label={target.target.kind} />
        <NodeLink id={target.id} className="min-w-0 truncate font-medium">
          {target.target.slug}
        </NodeLink>
        <span className="ml-auto">{activity?.lastRun && <LastRun activity={activity} />}</span>
      </div>
      {target.target.agent && <AgentLines agent={target.target.agent} />}
      <TargetNumbers activity={activity} isAttached={target.triggers.length > 0} />
    </div>
  );
}

function NodeLink({ id, className, children }: { id: string; className: string; children: ReactNode }) {
  const { open } = useCanvas();
  const onClick = (event: MouseEvent) => {
    if (event.metaKey || event.ctrlKey || event.shiftKey) return;
    event.preventDefault();
    open(id);
  };
  return (
    <Link
      href={`/?node=${encodeURIComponent(id)}`}
      prefetch={false}
      data-shallow=""
      onClick={onClick}
      className={`${className} hover:underline`}
    >
      {children}
    </Link>
  );
}
