"use client";

import type { Node, NodeProps } from "@xyflow/react";
import { memo } from "react";
import { useDisabled } from "../../sheets/sheet-data.ts";
import { StatusBadge } from "../../ui/badges.tsx";
import { verdictOutcomes } from "../../ui/statuses.ts";
import { useCanvas } from "../use-canvas.ts";
import { EvidenceChip } from "../live/evidence-chip.tsx";
import type { TriggerNode as Model } from "../../graph/canvas-model.ts";
import { matchesWord, onlyWakesRuns, promptsOf, triggerName, wakesRunsText } from "../../graph/node-content.ts";
import { NodeFrame } from "./node-frame.tsx";

export type TriggerFlowNode = Node<{ node: Model }, "trigger">;

/** A trigger with its conditions. The chip on its incoming edge counts passed and stopped deliveries. */
export const TriggerNode = memo(function TriggerNode({ data: { node } }: NodeProps<TriggerFlowNode>) {
  const evidence = useCanvas(({ traffic }) => traffic.evidence(node.attachmentIds));
  const isOff = Boolean(useDisabled(node.slug));
  return (
    <NodeFrame
      node={node}
      name={triggerName(node, evidence, isOff)}
      className={isOff ? "border-dashed bg-sunken" : "bg-raised"}
    >
      <div className={`flex h-5 items-center gap-2 font-semibold tracking-[-0.005em] ${isOff ? "text-ink-2" : ""}`}>
        <span className="truncate group-data-[far=true]/canvas:text-xl" title={node.files.join("\n")}>
          {node.slug}
        </span>
        <WakesRuns trigger={node} />
        {isOff && <StatusBadge status={verdictOutcomes.disabled} label="off" />}
      </div>
      <Conditions node={node} />
      <Prompts node={node} />
      {evidence && (
        <span className="absolute top-1/2 right-full mr-2.5 -translate-y-1/2 group-data-[far=true]/canvas:hidden">
          <EvidenceChip evidence={evidence} source={node.source} trigger={node.slug} />
        </span>
      )}
    </NodeFrame>
  );
});

/** Shown in place of the edge to a target. */
export function WakesRuns({ trigger }: { trigger: Pick<Model, "attachments"> }) {
  if (!onlyWakesRuns(trigger)) return null;
  return (
    <span title={wakesRunsText} className="shrink-0 text-s font-normal text-ink-3">
      wakes runs
    </span>
  );
}

/** The prompts for its agents, one line each. */
export function Prompts({ node }: { node: Pick<Model, "attachments"> }) {
  const prompts = promptsOf(node);
  if (prompts.length === 0) return null;
  return (
    <ul aria-label="Prompts" className="group-data-[far=true]/canvas:hidden">
      {prompts.map(({ agent, words }) => (
        <li key={agent} title={`The prompt of ${agent}: ${words}`} className="truncate text-s/[19px] text-ink-2">
          <span className="text-ink-3">prompt: </span>
          {words}
        </li>
      ))}
    </ul>
  );
}

/** One line per condition, so the height of the node is known before rendering. */
export function Conditions({ node }: { node: Pick<Model, "conditions" | "hasFilter" | "fieldParts" | "attachments"> }) {
  const matches = matchesWord(node);
  if (node.conditions.length === 0) {
    return (
      <p className="mt-1 text-s/[19px] text-ink-3 group-data-[far=true]/canvas:hidden">
        {node.hasFilter ? "see its filter" : `no filter: every valid body ${matches}`}
      </p>
    );
  }
  return (
    <ul
      aria-label={`${matches === "fires" ? "Fires" : "Matches"} when${node.hasFilter || node.fieldParts.length > 0 ? "" : " the body has"}`}
      className="mt-1 group-data-[far=true]/canvas:hidden"
    >
      {node.conditions.map(({ path, words }) => (
        <li key={path} title={`${path} ${words}`} className="truncate text-s/[19px] text-ink-2">
          <code className="text-ink">{path}</code> {words}
        </li>
      ))}
    </ul>
  );
}
