import { type CanvasModel, type ModelNode, routeId, type SourceNode, type TriggerNode } from "./canvas-model.ts";

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
  nodes: ModelNode[];
  edges: CanvasEdge[];
  /** More than 100 triggers, also if they are collapsed: edges appear only at hovered and opened nodes. */
  isLarge: boolean;
  /** Ids of sources with several triggers. */
  foldable: readonly string[];
  /** Ids of collapsed sources. */
  collapsed: ReadonlySet<string>;
}

/** A position on the plane, px. */
export interface Point {
  x: number;
  y: number;
}

/** The positions of nodes by id: their top left corners. */
export type Layout = ReadonlyMap<string, Point>;

/** With more triggers, edges and an expanded canvas are not readable. */
const maxTriggers = 100;

/**
 * The graph of `shownIds` (`null`: no filter). The edges of a collapsed source lead directly to its targets. `folds`:
 * the sources to collapse; `null`: all of them if the graph is large, otherwise none.
 */
export function visibleGraph(
  model: CanvasModel,
  { shownIds, folds }: { shownIds: ReadonlySet<string> | null; folds: ReadonlySet<string> | null },
): VisibleGraph {
  const isShown = ({ id }: { id: string }) => shownIds === null || shownIds.has(id);
  const sources = model.sources.filter(isShown);
  const isLarge = model.triggers.filter(isShown).length > maxTriggers;
  const foldable = sources.flatMap(({ id, triggers }) => (triggers.length > 1 ? [id] : []));
  const collapsed = new Set(foldable.filter((id) => folds?.has(id) ?? isLarge));
  const edges: CanvasEdge[] = [];
  const nodes: ModelNode[] = [];
  for (const source of sources) {
    nodes.push(source);
    const triggers = source.triggers.flatMap((id) => {
      const node = model.byId.get(id);
      return node?.kind === "trigger" && isShown(node) ? [node] : [];
    });
    if (!collapsed.has(source.id)) nodes.push(...triggers);
    edges.push(
      ...(collapsed.has(source.id) ? summaryEdges(source, triggers) : triggerEdges(source, triggers)).filter(
        ({ target }) => isShown({ id: target }),
      ),
    );
  }
  return { nodes: [...nodes, ...model.targets.filter(isShown)], edges, isLarge, foldable, collapsed };
}

function triggerEdges({ id: sourceId }: SourceNode, triggers: readonly TriggerNode[]): CanvasEdge[] {
  return triggers.flatMap(({ id, attachmentIds, attachments }) => [
    {
      id: `${sourceId}>${id}`,
      source: sourceId,
      target: id,
      attachments: attachmentIds,
      counts: attachmentIds,
      kind: "evaluates" as const,
      triggers: [id],
    },
    ...attachments.flatMap(({ attachmentId, targetId }) =>
      targetId === null
        ? []
        : {
            id: `${id}>${targetId}`,
            source: id,
            target: targetId,
            attachments: [attachmentId],
            counts: [attachmentId],
            kind: "starts" as const,
            triggers: [id],
          },
    ),
  ]);
}

function summaryEdges({ id }: SourceNode, triggers: readonly TriggerNode[]): CanvasEdge[] {
  const byTarget = new Map<string, { attachments: string[]; triggers: string[] }>();
  for (const trigger of triggers) {
    for (const { attachmentId, targetId } of trigger.attachments) {
      if (targetId === null) continue;
      const sum = byTarget.get(targetId) ?? { attachments: [], triggers: [] };
      sum.attachments.push(attachmentId);
      sum.triggers.push(trigger.id);
      byTarget.set(targetId, sum);
    }
  }
  return [...byTarget].map(([target, sum]) => ({
    id: `${id}>${target}`,
    source: id,
    target,
    ...sum,
    counts: sum.attachments.length === 1 ? sum.attachments : [routeId(id, target.slice(target.indexOf(":") + 1))],
    kind: "summary" as const,
  }));
}

/** The ids of the edges at the given nodes, from their sources to their targets. */
export function edgesOf({ nodes, edges }: VisibleGraph, ids: ReadonlySet<string>): ReadonlySet<string> {
  const triggersOf = (kind: "source" | "target") =>
    new Set(nodes.flatMap((node) => (node.kind === kind && ids.has(node.id) ? node.triggers : [])));
  const [onward, backward] = [triggersOf("source"), triggersOf("target")];
  const isOn = ({ source, target, kind }: CanvasEdge) =>
    ids.has(source) ||
    ids.has(target) ||
    (kind === "starts" && onward.has(source)) ||
    (kind === "evaluates" && backward.has(target));
  return new Set(edges.filter(isOn).map(({ id }) => id));
}

export type Step = "ArrowUp" | "ArrowDown" | "ArrowLeft" | "ArrowRight";

/**
 * The node that an arrow key moves to: up and down within the column, left and right to the nearest connected node.
 * `null`: no such node.
 */
export function walk(
  { nodes, edges }: VisibleGraph,
  move: { from: string; step: Step; layout: Layout },
): string | null {
  const here = move.layout.get(move.from);
  const from = nodes.find(({ id }) => id === move.from);
  if (!here || !from) return null;
  const placed = (ids: readonly string[]) =>
    ids.flatMap((id) => {
      const at = move.layout.get(id);
      return at ? [{ id, y: at.y }] : [];
    });
  const nearest = (ids: readonly string[]) =>
    placed(ids).toSorted((one, other) => Math.abs(one.y - here.y) - Math.abs(other.y - here.y))[0]?.id ?? null;
  if (move.step === "ArrowRight")
    return nearest(edges.flatMap(({ source, target }) => (source === move.from ? [target] : [])));
  if (move.step === "ArrowLeft")
    return nearest(edges.flatMap(({ source, target }) => (target === move.from ? [source] : [])));
  const column = placed(nodes.filter(({ kind }) => kind === from.kind).map(({ id }) => id));
  return nearest(column.filter(({ y }) => (move.step === "ArrowUp" ? y < here.y : y > here.y)).map(({ id }) => id));
}
