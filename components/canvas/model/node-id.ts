import type { Target, TargetKind } from "../../../server/contract/project/target.ts";

/**
 * The kind of a node. A node id is its kind and its name, as in the URL: `endpoint:billing`, `trigger:invoice-paid`,
 * `workflow:post-to-ledger`.
 */
export type NodeKind = "endpoint" | "trigger" | TargetKind;

const kinds: readonly NodeKind[] = ["endpoint", "trigger", "workflow", "agent"];

export const endpointId = (endpoint: string): string => `endpoint:${endpoint}`;
export const triggerId = (slug: string): string => `trigger:${slug}`;
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
