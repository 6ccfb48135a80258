import type { GraphAgent, TargetActivity } from "./answers.ts";
import type { CanvasModel, ModelNode } from "./build-model.ts";
import { promptsOf } from "./prompts.ts";
import { type Evidence, stoppedCount } from "./evidence.ts";

export const canvasStatuses = ["all", "stopped", "failing", "running", "never"] as const;
export type CanvasStatus = (typeof canvasStatuses)[number];

/** What happened, as far as it is known: what has not been read yet has no status. */
export interface Known {
  evidence(triggerId: string): Evidence | undefined;
  target(targetId: string): TargetActivity | undefined;
}

/**
 * The nodes that stay lit under a filter: those that match, and what they hang together with. `null`: nothing is
 * filtered.
 */
export function keptNodes(
  model: CanvasModel,
  p: { text: string; status: CanvasStatus; known: Known },
): ReadonlySet<string> | null {
  const text = p.text.trim().toLowerCase();
  const byText = text === "" ? null : chainsOf(model, (node) => wordsOf(node).includes(text));
  const byStatus = p.status === "all" ? null : chainsOf(model, (node) => hasStatus(node, p));
  if (byText === null || byStatus === null) return byText ?? byStatus;
  return new Set([...byText].filter((id) => byStatus.has(id)));
}

function hasStatus(node: ModelNode, { status, known }: { status: CanvasStatus; known: Known }): boolean {
  if (node.kind === "trigger") {
    const evidence = known.evidence(node.id);
    if (!evidence) return false;
    return status === "stopped" ? stoppedCount(evidence) > 0 : status === "never" && evidence.passed === 0;
  }
  const activity = node.kind === "target" ? known.target(node.id) : undefined;
  if (!activity) return false;
  if (status === "failing") return activity.failed > 0;
  if (status === "running") return activity.open > 0;
  return status === "never" && activity.lastRun === null;
}

function wordsOf(node: ModelNode): string {
  return textOf(node).toLowerCase();
}

function textOf(node: ModelNode): string {
  if (node.kind === "endpoint") return node.path;
  if (node.kind === "target")
    return [
      node.target.slug,
      node.target.kind,
      node.target.file,
      ...(node.target.agent ? agentWords(node.target.agent) : []),
    ].join(" ");
  return [
    node.slug,
    ...node.files,
    ...node.conditions.map(({ place, words }) => `${place} ${words}`),
    ...promptsOf(node).map(({ words }) => words),
  ].join(" ");
}

/** An agent is found by its model and by what it may call, too. */
function agentWords({ model, tools }: GraphAgent): string[] {
  return [model.provider, model.modelId, ...tools.map(({ name }) => name)];
}

/** A match with everything before and behind it: an endpoint for its trigger, the triggers for their target. */
function chainsOf(model: CanvasModel, matches: (node: ModelNode) => boolean): Set<string> {
  const kept = new Set<string>();
  const keepTrigger = (id: string) => {
    const node = model.byId.get(id);
    if (node?.kind !== "trigger") return;
    kept.add(id).add(`endpoint:${node.endpoint}`);
    for (const { target } of node.attachments) kept.add(target);
  };
  for (const node of model.byId.values()) {
    if (!matches(node)) continue;
    kept.add(node.id);
    for (const id of node.kind === "trigger" ? [node.id] : node.triggers) keepTriggerOf(node, id);
  }
  return kept;

  /** The other targets of a trigger do not belong to this target. */
  function keepTriggerOf(node: ModelNode, id: string) {
    if (node.kind !== "target") return keepTrigger(id);
    const trigger = model.byId.get(id);
    kept.add(id);
    if (trigger?.kind === "trigger") kept.add(`endpoint:${trigger.endpoint}`);
  }
}
