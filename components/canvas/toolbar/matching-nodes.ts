import type { CanvasModel, GraphAgent, ModelNode, TargetActivity } from "../model/canvas-model.ts";
import { promptsOf } from "../model/node-content.ts";
import { type Evidence, stoppedCount } from "../live/evidence.ts";

export const canvasStatuses = ["all", "stopped", "failing", "running", "never"] as const;
export type CanvasStatus = (typeof canvasStatuses)[number];

/** Known activity. Nodes without loaded data have no status. */
export interface Known {
  evidence(triggerId: string): Evidence | undefined;
  target(targetId: string): TargetActivity | undefined;
}

/** The ids of nodes that match the filters, and of the nodes connected to them. `null`: no filter. */
export function findMatchingIds(
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
      ...(node.target.agent ? agentTexts(node.target.agent) : []),
    ].join(" ");
  return [
    node.slug,
    ...node.files,
    ...node.conditions.map(({ path, words }) => `${path} ${words}`),
    ...promptsOf(node).map(({ words }) => words),
  ].join(" ");
}

/** Agents are also found by their model and their tools. */
function agentTexts({ model, tools }: GraphAgent): string[] {
  return [model.provider, model.modelId, ...tools.map(({ name }) => name)];
}

/** Matching nodes with their connected nodes: endpoints of triggers, triggers of targets. */
function chainsOf(model: CanvasModel, matches: (node: ModelNode) => boolean): Set<string> {
  const ids = new Set<string>();
  const addTrigger = (id: string) => {
    const node = model.byId.get(id);
    if (node?.kind !== "trigger") return;
    ids.add(id).add(`endpoint:${node.endpoint}`);
    for (const { target } of node.attachments) ids.add(target);
  };
  for (const node of model.byId.values()) {
    if (!matches(node)) continue;
    ids.add(node.id);
    for (const id of node.kind === "trigger" ? [node.id] : node.triggers) addTriggerOf(node, id);
  }
  return ids;

  /** For a target: adds its trigger and endpoint, not the other targets of that trigger. */
  function addTriggerOf(node: ModelNode, id: string) {
    if (node.kind !== "target") return addTrigger(id);
    const trigger = model.byId.get(id);
    ids.add(id);
    if (trigger?.kind === "trigger") ids.add(`endpoint:${trigger.endpoint}`);
  }
}
