import { type CanvasModel, type EndpointNode, type ModelNode, routeId } from "./canvas-model.ts";

export interface CanvasEdge {
  id: string;
  source: string;
  target: string;
  /** The attachments of the trigger at either end of the edge. */
  attachments: readonly string[];
  /** Keys of its counts: the attachments of one trigger, or the route of several triggers. */
  counts: readonly string[];
  kind: "evaluates" | "starts" | "summary";
  /** The triggers that the edge represents; several for a summary. */
  triggers: readonly string[];
}

/** The rendered nodes and edges, without filtered or collapsed ones. In the order of the model. */
export interface VisibleGraph {
  /** The endpoint filter. */
  endpoint: string | null;
  nodes: ModelNode[];
  edges: CanvasEdge[];
}

/** A position on the plane, px. */
export interface Point {
  x: number;
  y: number;
}

/** The positions of nodes by id: their top left corners. */
export type Layout = ReadonlyMap<string, Point>;

/**
 * With `endpoint`, only the nodes of that endpoint, and the `opened` node with its endpoint. The edges of a collapsed
 * endpoint lead directly to its targets.
 */
export function visibleGraph(
  model: CanvasModel,
  p: { endpoint: string | null; collapsed: ReadonlySet<string>; opened: string | null },
): VisibleGraph {
  const opened = p.opened === null ? undefined : model.byId.get(p.opened);
  const names = new Set([p.endpoint, opened && opened.kind !== "target" ? opened.endpoint : null]);
  const shown = p.endpoint === null ? model.endpoints : model.endpoints.filter(({ endpoint }) => names.has(endpoint));
  const edges: CanvasEdge[] = [];
  const nodes: ModelNode[] = [];
  for (const endpoint of shown) {
    nodes.push(endpoint);
    if (p.collapsed.has(endpoint.id)) edges.push(...summaryEdges(model, endpoint));
    else addTriggers(model, endpoint, { nodes, edges });
  }
  const reached = new Set(edges.map(({ target }) => target));
  const targets = model.targets.filter(
    ({ id, triggers }) => reached.has(id) || id === p.opened || (p.endpoint === null && triggers.length === 0),
  );
  return { endpoint: p.endpoint, nodes: [...nodes, ...targets], edges };
}

function addTriggers(model: CanvasModel, endpoint: EndpointNode, into: Pick<VisibleGraph, "nodes" | "edges">): void {
  for (const id of endpoint.triggers) {
    const trigger = model.byId.get(id);
    if (trigger?.kind !== "trigger") continue;
    into.nodes.push(trigger);
    into.edges.push({
      id: `${endpoint.id}>${id}`,
      source: endpoint.id,
      target: id,
      attachments: trigger.attachmentIds,
      counts: trigger.attachmentIds,
      kind: "evaluates",
      triggers: [id],
    });
    for (const { attachmentId, target } of trigger.attachments) {
      into.edges.push({
        id: `${id}>${target}`,
        source: id,
        target,
        attachments: [attachmentId],
        counts: [attachmentId],
        kind: "starts",
        triggers: [id],
      });
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
  return [...byTarget].map(([target, sum]) => {
    const counts =
      sum.attachments.length === 1
        ? sum.attachments
        : [routeId(endpoint.endpoint, target.slice(target.indexOf(":") + 1))];
    return { id: `${endpoint.id}>${target}`, source: endpoint.id, target, ...sum, counts, kind: "summary" as const };
  });
}

export type Step = "ArrowUp" | "ArrowDown" | "ArrowLeft" | "ArrowRight";

/**
 * The node that an arrow key moves to: up and down within the column, left and right to the nearest connected node.
 * `null`: no such node.
 */
export function walk({ nodes, edges }: VisibleGraph, p: { from: string; step: Step; layout: Layout }): string | null {
  const here = p.layout.get(p.from);
  const from = nodes.find(({ id }) => id === p.from);
  if (!here || !from) return null;
  const placed = (ids: readonly string[]) =>
    ids.flatMap((id) => {
      const at = p.layout.get(id);
      return at ? [{ id, y: at.y }] : [];
    });
  const nearest = (ids: readonly string[]) =>
    placed(ids).toSorted((one, other) => Math.abs(one.y - here.y) - Math.abs(other.y - here.y))[0]?.id ?? null;
  if (p.step === "ArrowRight")
    return nearest(edges.flatMap(({ source, target }) => (source === p.from ? [target] : [])));
  if (p.step === "ArrowLeft")
    return nearest(edges.flatMap(({ source, target }) => (target === p.from ? [source] : [])));
  const column = placed(nodes.filter(({ kind }) => kind === from.kind).map(({ id }) => id));
  return nearest(column.filter(({ y }) => (p.step === "ArrowUp" ? y < here.y : y > here.y)).map(({ id }) => id));
}
