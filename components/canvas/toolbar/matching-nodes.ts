import { type CanvasModel, endpointId, type GraphAgent, type ModelNode } from "../../graph/canvas-model.ts";
import { promptsOf } from "../../graph/node-content.ts";
import { stoppedCount, type Traffic } from "../../graph/evidence.ts";

export const canvasStatuses = ["all", "stopped", "failing", "running", "never"] as const;
export type CanvasStatus = (typeof canvasStatuses)[number];

/** Known activity. Nodes without loaded data have no status. */
export type Known = Pick<Traffic, "evidence" | "target">;

/** The filters of the canvas, and the opened node. */
export interface NodeFilters {
  endpoint: string | null;
  status: CanvasStatus;
  q: string;
  node: string | null;
}

/** Identifies a filter; empty without one. */
export function filterKey({ endpoint, status, q }: NodeFilters): string {
  const parts = [endpoint ?? "", status === "all" ? "" : status, q.trim().toLowerCase()];
  return parts.every((part) => part === "") ? "" : parts.join("|");
}

/**
 * The ids of nodes that match all filters, and of the nodes connected to them. The opened node is one of them, despite
 * the filters. `null`: no filter.
 */
export function findShownIds(model: CanvasModel, filters: NodeFilters, known: Known): ReadonlySet<string> | null {
  if (filterKey(filters) === "") return null;
  const { endpoint, status, node: opened } = filters;
  const text = filters.q.trim().toLowerCase();
  const tests: ((node: ModelNode) => boolean)[] = [];
  if (endpoint !== null) tests.push(({ id }) => id === endpointId(endpoint));
  if (text !== "") tests.push((node) => textOf(node).toLowerCase().includes(text));
  if (status !== "all") tests.push((node) => hasStatus(node, { status, known }));
  const [first, ...others] = tests.map((test) => chainsOf(model, test));
  const shown = [...(first ?? [])].filter((id) => others.every((ids) => ids.has(id)));
  const isHidden = opened !== null && !shown.includes(opened);
  return new Set(isHidden ? [...shown, ...chainsOf(model, ({ id }) => id === opened)] : shown);
}

function hasStatus(node: ModelNode, { status, known }: { status: CanvasStatus; known: Known }): boolean {
  if (node.kind === "trigger") {
    const evidence = known.evidence(node.attachmentIds);
    if (!evidence) return false;
    return status === "stopped" ? stoppedCount(evidence) > 0 : status === "never" && evidence.passed === 0;
  }
  const activity = node.kind === "target" ? known.target(node.id) : undefined;
  if (!activity) return false;
  if (status === "failing") return activity.failed > 0;
  if (status === "running") return activity.open > 0;
  return status === "never" && activity.lastRun === null;
}

function textOf(node: ModelNode): string {
  if (node.kind === "source") return node.label;
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

/** Matching nodes with their connected nodes: sources of triggers, triggers of targets. */
function chainsOf(model: CanvasModel, matches: (node: ModelNode) => boolean): Set<string> {
  const ids = new Set<string>();
  const addTrigger = (id: string) => {
    const node = model.byId.get(id);
    if (node?.kind !== "trigger") return;
    ids.add(id).add(node.sourceId);
    for (const { targetId } of node.attachments) if (targetId !== null) ids.add(targetId);
  };
  for (const node of model.byId.values()) {
    if (!matches(node)) continue;
    ids.add(node.id);
    for (const id of node.kind === "trigger" ? [node.id] : node.triggers) addTriggerOf(node, id);
  }
  return ids;

  /** For a target: adds its trigger and source, not the other targets of that trigger. */
  function addTriggerOf(node: ModelNode, id: string) {
    if (node.kind !== "target") return addTrigger(id);
    const trigger = model.byId.get(id);
    ids.add(id);
    if (trigger?.kind === "trigger") ids.add(trigger.sourceId);
  }
}
