import type { CanvasModel, EndpointNode, ModelNode } from "./build-model.ts";

export interface CanvasEdge {
  id: string;
  source: string;
  target: string;
  /** Of which the edge tells: those of the trigger that it leads to, or that it leads from. */
  attachments: readonly string[];
  kind: "evaluates" | "starts" | "summary";
  /** For a summary: how many triggers it stands for, and the one if it is one. */
  triggers: readonly string[];
}

/** What is drawn: everything, less what is filtered out or folded into its endpoint. In the order of the model. */
export interface VisibleGraph {
  nodes: ModelNode[];
  edges: CanvasEdge[];
}

/** With `endpoint`, only what belongs to it. A collapsed endpoint leads straight to its targets. */
export function visibleGraph(model: CanvasModel, p: { endpoint: string | null; collapsed: ReadonlySet<string> }): VisibleGraph {
  const shown = p.endpoint === null ? model.endpoints : model.endpoints.filter(({ endpoint }) => endpoint === p.endpoint);
  const edges: CanvasEdge[] = [];
  const nodes: ModelNode[] = [];
  for (const endpoint of shown) {
    nodes.push(endpoint);
    if (p.collapsed.has(endpoint.id)) edges.push(...summaryEdges(model, endpoint));
    else addTriggers(model, endpoint, { nodes, edges });
  }
  const reached = new Set(edges.map(({ target }) => target));
  const targets = model.targets.filter(({ id, triggers }) => reached.has(id) || (p.endpoint === null && triggers.length === 0));
  return { nodes: [...nodes, ...targets], edges };
}

function addTriggers(model: CanvasModel, endpoint: EndpointNode, into: VisibleGraph): void {
  for (const id of endpoint.triggers) {
    const trigger = model.byId.get(id);
    if (trigger?.kind !== "trigger") continue;
    into.nodes.push(trigger);
    into.edges.push({ id: `${endpoint.id}>${id}`, source: endpoint.id, target: id, attachments: trigger.attachmentIds, kind: "evaluates", triggers: [id] });
    for (const { attachmentId, target } of trigger.attachments) {
      into.edges.push({ id: `${id}>${target}`, source: id, target, attachments: [attachmentId], kind: "starts", triggers: [id] });
    }
  }
}

function summaryEdges(model: CanvasModel, endpoint: EndpointNode): CanvasEdge[] {
  const byTarget = new Map<string, { attachments: string[]; triggers: string[] }>();
  for (const id of endpoint.triggers) {
    const trigger = model.byId.get(id);
    if (trigger?.kind !== "trigger") continue;
    for (const { attachmentId, target } of trigger.attachments) {
      const sum = byTarget.get(target) ?? { attachments: [], triggers: [] };
      sum.attachments.push(attachmentId);
      sum.triggers.push(id);
      byTarget.set(target, sum);
    }
  }
  return [...byTarget].map(([target, sum]) => ({ id: `${endpoint.id}>${target}`, source: endpoint.id, target, ...sum, kind: "summary" as const }));
}
