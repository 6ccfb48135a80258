import type { inferRouterOutputs } from "@trpc/server";
import type { Target, TargetKind } from "../../server/contract/project/target.ts";
import type { AppRouter } from "../../server/trpc/router.ts";

type Outputs = inferRouterOutputs<AppRouter>["canvas"];

/** The data of the canvas: all sources, triggers and targets of the current build, in the order of their columns. */
export type Graph = Outputs["graph"];

export type SourceNode = Graph["sources"][number];
export type TriggerNode = Graph["triggers"][number];
export type TargetNode = Graph["targets"][number];
export type ModelNode = SourceNode | TriggerNode | TargetNode;

export type GraphSource = SourceNode["source"];
export type GraphTarget = TargetNode["target"];
export type GraphAgent = NonNullable<GraphTarget["agent"]>;
export type Prompt = NonNullable<TriggerNode["attachments"][number]["prompt"]>;

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

export const targetId = (target: Target): string => `${target.kind}:${target.slug}`;

/** The kind and the name of a node id; `null` if invalid. */
export function parseNodeId(id: string): { kind: NodeKind; id: string } | null {
  const colon = id.indexOf(":");
  const kind = kinds.find((one) => one === id.slice(0, colon));
  const name = id.slice(colon + 1);
  return kind && name !== "" ? { kind, id: name } : null;
}

/** The key of the counts of all triggers between a source and a target. */
export function routeId(sourceId: string, targetSlug: string): string {
  return `${sourceId} > ${targetSlug}`;
}

/** The graph, with its nodes by id. */
export interface CanvasModel extends Pick<Graph, "sources" | "triggers" | "targets"> {
  byId: ReadonlyMap<string, ModelNode>;
}

export function buildModel({ sources, triggers, targets }: Omit<CanvasModel, "byId">): CanvasModel {
  const byId = new Map<string, ModelNode>([...sources, ...triggers, ...targets].map((node) => [node.id, node]));
  return { sources, triggers, targets, byId };
}
