"use client";

import { ArrowRight } from "lucide-react";
import Link from "next/link";
import { type MouseEvent, type ReactNode, useEffect, useMemo, useState } from "react";
import { formatMethods, formatNumber } from "../../server/shared/format.ts";
import { useDisabled } from "../sheets/sheet-data.ts";
import { Button } from "../ui/controls/button.tsx";
import { StatusBadge, TargetIcon } from "../ui/badges.tsx";
import { verdictOutcomes } from "../ui/statuses.ts";
import { CopyUrl, Sparkline } from "./nodes/source-node.tsx";
import { EvidenceChip } from "./live/evidence-chip.tsx";
import { FirstDelivery, NoMatches } from "./canvas-states.tsx";
import type { SourceNode, TargetNode, TriggerNode } from "../graph/canvas-model.ts";
import { AgentLines, LastRun, TargetNumbers } from "./nodes/target-node.tsx";
import { Conditions, Prompts, WakesRuns } from "./nodes/trigger-node.tsx";
import { Toolbar, type ToolbarProps } from "./toolbar/toolbar.tsx";
import { useCanvas, useCanvasStore } from "./use-canvas.ts";

const pageSize = 60;

/** Replaces the canvas on narrow screens: sources with their triggers and targets. Hides nodes that do not match. */
export function TriggerList({ filter }: ToolbarProps) {
  const { see } = useCanvasStore();
  const model = useCanvas((state) => state.model);
  const shownIds = useCanvas((state) => state.shownIds);
  const [limit, setLimit] = useState(pageSize);
  const sources = useMemo(() => model.sources.filter(({ id }) => shownIds?.has(id) ?? true), [model, shownIds]);
  const shown = useMemo(() => sources.slice(0, limit), [sources, limit]);
  useEffect(
    () => see([...shown.map(({ id }) => id), ...model.targets.slice(0, 2 * limit).map(({ id }) => id)]),
    [shown, model, limit, see],
  );
  return (
    <div className="grid grid-cols-[minmax(0,1fr)] gap-4 p-4">
      <Toolbar filter={filter} isList />
      <FirstDelivery />
      {shown.map((node) => (
        <SourceCard key={node.id} node={node} />
      ))}
      {sources.length > limit && (
        <Button onClick={() => setLimit(limit + pageSize)}>
          Show more of {formatNumber(sources.length)} endpoints
        </Button>
      )}
      <NoMatches filter={filter} />
      <Unattached />
    </div>
  );
}

function Unattached() {
  const model = useCanvas((state) => state.model);
  const shownIds = useCanvas((state) => state.shownIds);
  const targets = model.targets.filter(({ id, triggers }) => triggers.length === 0 && (shownIds?.has(id) ?? true));
  if (targets.length === 0) return null;
  return (
    <section aria-label="Without a trigger" className="rounded-l border bg-panel">
      <h2 className="border-b px-4 py-2.5 font-semibold">Without a trigger</h2>
      {targets.map((target) => (
        <div key={target.id} className="border-b px-4 py-2.5 last:border-0">
          <TargetLink target={target} />
        </div>
      ))}
    </section>
  );
}

/** One source with its triggers and their targets, for a narrow screen. */
function SourceCard({ node: { id: sourceId, label, source, triggers: ids } }: { node: SourceNode }) {
  const model = useCanvas((state) => state.model);
  const shownIds = useCanvas((state) => state.shownIds);
  const activity = useCanvas(({ traffic }) => traffic.endpoint(sourceId));
  const triggers = ids.flatMap((id) => {
    const node = model.byId.get(id);
    return node?.kind === "trigger" && (shownIds?.has(id) ?? true) ? [node] : [];
  });
  return (
    <section aria-label={`Endpoint ${label}`} className="overflow-hidden rounded-l border bg-panel">
      <div className="border-b px-4 py-3">
        <div className="flex items-center gap-2">
          <span className="text-xs text-ink-3">{formatMethods(source.methods)}</span>
          <NodeLink id={sourceId} className="min-w-0 truncate font-mono font-semibold">
            {label}
          </NodeLink>
          <span className="-my-1 ml-auto">
            <CopyUrl endpoint={source.endpoint} />
          </span>
        </div>
        <div className="mt-1.5 h-7">
          <Sparkline activity={activity} endpoint={source.endpoint} trigger={ids[0]} />
        </div>
      </div>
      <ul>
        {triggers.map((trigger) => (
          <TriggerItem key={trigger.id} trigger={trigger} />
        ))}
      </ul>
    </section>
  );
}

function TriggerItem({ trigger }: { trigger: TriggerNode }) {
  const model = useCanvas((state) => state.model);
  const evidence = useCanvas(({ traffic }) => traffic.evidence(trigger.attachmentIds));
  const isOff = Boolean(useDisabled(trigger.slug));
  return (
    <li className="border-b px-4 py-3 last:border-0">
      <div className="flex min-h-5 items-center justify-between gap-2">
        <NodeLink id={trigger.id} className="min-w-0 truncate font-semibold">
          {trigger.slug}
        </NodeLink>
        <WakesRuns trigger={trigger} />
        {isOff && <StatusBadge status={verdictOutcomes.disabled} label="off" />}
        {evidence && <EvidenceChip evidence={evidence} source={trigger.source} trigger={trigger.slug} />}
      </div>
      <Conditions node={trigger} />
      <Prompts node={trigger} />
      {trigger.attachments.map(({ targetId }) => {
        const node = targetId === null ? null : model.byId.get(targetId);
        return node?.kind === "target" ? (
          <div key={targetId} className="mt-2 flex gap-2">
            <ArrowRight aria-label="starts" size={14} className="mt-0.5 shrink-0 text-ink-3" />
            <TargetLink target={node} />
          </div>
        ) : null;
      })}
    </li>
  );
}

function TargetLink({ target }: { target: TargetNode }) {
  const activity = useCanvas(({ traffic }) => traffic.target(target.id));
  return (
    <div className="min-w-0 flex-1">
      <div className="flex items-center gap-1.5">
        <TargetIcon kind={target.target.kind} label={target.target.kind} />
        <NodeLink id={target.id} className="min-w-0 truncate font-medium">
          {target.target.slug}
        </NodeLink>
        <span className="ml-auto">{activity?.lastRun && <LastRun activity={activity} />}</span>
      </div>
      {target.target.agent && <AgentLines agent={target.target.agent} activity={activity} />}
      <TargetNumbers activity={activity} isAttached={target.triggers.length > 0} />
    </div>
  );
}

function NodeLink({ id, className, children }: { id: string; className: string; children: ReactNode }) {
  const open = useCanvas((state) => state.open);
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
