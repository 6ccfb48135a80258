import type { inferRouterOutputs } from "@trpc/server";
import type { Target, TargetKind } from "../../../server/contract/project/target.ts";
import type { AppRouter } from "../../../server/trpc/router.ts";

type Outputs = inferRouterOutputs<AppRouter>["canvas"];

/** The data of the canvas: all triggers and targets of the current build. */
export type Graph = Outputs["graph"];

export type GraphTrigger = Graph["triggers"][number];

export type GraphTarget = Graph["targets"][number];

export type GraphAgent = NonNullable<GraphTarget["agent"]>;

/** Activity on parts of the graph within a time window. */
export type Activity = Outputs["activity"];

export type EndpointActivity = Activity["endpoints"][number];

export type VerdictCounts = Omit<Activity["triggers"][number], "attachmentId">;

export type TargetActivity = Activity["targets"][number];

/**
 * The kind of a node. A node id is its kind and its name, as in the URL: `endpoint:billing`, `trigger:invoice-paid`,
 * `workflow:post-to-ledger`.
 */
type NodeKind = "endpoint" | "trigger" | TargetKind;

const kinds: readonly NodeKind[] = ["endpoint", "trigger", "workflow", "agent"];

export const endpointId = (endpoint: string): string => `endpoint:${endpoint}`;

const triggerId = (slug: string): string => `trigger:${slug}`;

export const targetId = (target: Target): string => `${target.kind}:${target.slug}`;

/** The kind and the name of a node id; `null` if invalid. */
export function parseNodeId(id: string): { kind: NodeKind; id: string } | null {
  const colon = id.indexOf(":");
  const kind = kinds.find((one) => one === id.slice(0, colon));
  const name = id.slice(colon + 1);
  return kind && name !== "" ? { kind, id: name } : null;
}

/** The key of the counts of all triggers between an endpoint and a target. */
export function routeId(endpoint: string, targetSlug: string): string {
  return `${endpoint} > ${targetSlug}`;
}

export interface EndpointNode {
  kind: "endpoint";
  id: string;
  endpoint: string;
  path: string;
  /** Ids of its triggers. */
  triggers: string[];
}

export interface TriggerNode {
  kind: "trigger";
  id: string;
  slug: string;
  endpoint: string;
  conditions: GraphTrigger["conditions"];
  hasFilter: boolean;
  hasHeaders: boolean;
  /** One per target. */
  attachments: { attachmentId: string; target: string; prompt: GraphTrigger["prompt"] }[];
  attachmentIds: string[];
  files: string[];
}

export interface TargetNode {
  kind: "target";
  id: string;
  target: GraphTarget;
  /** Ids of the triggers that start it. */
  triggers: string[];
}

export type ModelNode = EndpointNode | TriggerNode | TargetNode;

/**
 * The whole project as columns, in a deterministic order: endpoints by name, triggers in the order of their endpoints,
 * targets in the order of their first trigger, targets without a trigger last.
 */
export interface CanvasModel {
  endpoints: EndpointNode[];
  triggers: TriggerNode[];
  targets: TargetNode[];
  byId: ReadonlyMap<string, ModelNode>;
}

export function buildModel(graph: Pick<Graph, "triggers" | "targets">): CanvasModel {
  const triggers = groupAttachments(graph.triggers);
  const endpoints = groupEndpoints(triggers, graph.triggers);
  const targets = orderTargets(graph.targets, triggers);
  const byId = new Map<string, ModelNode>([...endpoints, ...triggers, ...targets].map((node) => [node.id, node]));
  return { endpoints, triggers, targets, byId };
}

/** One node per slug, for any number of targets: they share request and filter. */
function groupAttachments(attached: readonly GraphTrigger[]): TriggerNode[] {
  const nodes = new Map<string, TriggerNode>();
  const sorted = attached.toSorted(
    (one, other) => compare(one.endpoint, other.endpoint) || compare(one.attachmentId, other.attachmentId),
  );
  for (const { slug, endpoint, conditions, hasFilter, hasHeaders, attachmentId, target, file, prompt } of sorted) {
    const id = triggerId(slug);
    const node: TriggerNode = nodes.get(id) ?? {
      kind: "trigger",
      id,
      slug,
      endpoint,
      conditions,
      hasFilter,
      hasHeaders,
      attachments: [],
      attachmentIds: [],
      files: [],
    };
    node.attachments.push({ attachmentId, target: targetId(target), prompt });
    node.attachmentIds.push(attachmentId);
    if (!node.files.includes(file)) node.files.push(file);
    nodes.set(id, node);
  }
  return [...nodes.values()];
}

function groupEndpoints(triggers: readonly TriggerNode[], attached: readonly GraphTrigger[]): EndpointNode[] {
  const paths = new Map(attached.map(({ endpoint, path }) => [endpoint, path]));
  const nodes = new Map<string, EndpointNode>();
  for (const { id, endpoint } of triggers) {
    const node: EndpointNode = nodes.get(endpoint) ?? {
      kind: "endpoint",
      id: endpointId(endpoint),
      endpoint,
      path: paths.get(endpoint) ?? `/triggers/${endpoint}`,
      triggers: [],
    };
    node.triggers.push(id);
    nodes.set(endpoint, node);
  }
  return [...nodes.values()];
}

function orderTargets(targets: readonly GraphTarget[], triggers: readonly TriggerNode[]): TargetNode[] {
  const startedBy = new Map<string, string[]>();
  for (const { id, attachments } of triggers) {
    for (const { target } of attachments) startedBy.set(target, [...(startedBy.get(target) ?? []), id]);
  }
  const nodes = new Map<string, TargetNode>(
    targets.map((target) => [
      targetId(target),
      { kind: "target", id: targetId(target), target, triggers: startedBy.get(targetId(target)) ?? [] },
    ]),
  );
  const attached = [...startedBy.keys()].flatMap((id) => nodes.get(id) ?? []);
  const others = [...nodes.values()]
    .filter(({ triggers: starters }) => starters.length === 0)
    .toSorted((one, other) => compare(one.id, other.id));
  return [...attached, ...others];
}

function compare(one: string, other: string): number {
  return one < other ? -1 : one > other ? 1 : 0;
}
