import type { ManifestAgent, ManifestTrigger } from "../contract/project/manifest.ts";
import type { Methods } from "../contract/project/endpoint.ts";
import { type Target, targetName } from "../contract/project/target.ts";
import type { FieldPart } from "../contract/request-parts.ts";
import type { Condition } from "../shared/schema/conditions.ts";

/** One attachment of a trigger to a target, as the manifest has it. Its conditions are in words. */
export interface GraphAttachment extends Pick<
  ManifestTrigger,
  "attachmentId" | "slug" | "endpoint" | "methods" | "target" | "file" | "hasTransform" | "prompt"
> {
  hasFilter: boolean;
  /** The parts of the request beside its body that have a schema. */
  fieldParts: FieldPart[];
  conditions: Condition[];
}

export interface GraphTarget extends Target {
  file: string;
  /** `null`: it is a workflow. */
  agent: GraphAgent | null;
}

interface GraphAgent extends Pick<ManifestAgent, "model"> {
  tools: Pick<ManifestAgent["tools"][number], "name" | "needsApproval">[];
}

/** A node of the canvas. Its id is its kind and its name, as in the URL: `endpoint:billing`, `workflow:post-to-ledger`. */
interface EndpointNode {
  kind: "endpoint";
  id: string;
  endpoint: string;
  path: string;
  methods: Methods;
  /** Ids of its triggers. */
  triggers: string[];
}

interface TriggerNode extends Pick<
  GraphAttachment,
  "slug" | "endpoint" | "methods" | "conditions" | "hasFilter" | "fieldParts"
> {
  kind: "trigger";
  id: string;
  /** One for each target. `targetId`: the id of its node. */
  attachments: ({ targetId: string } & Pick<
    GraphAttachment,
    "attachmentId" | "target" | "file" | "hasTransform" | "prompt"
  >)[];
  attachmentIds: string[];
  files: string[];
}

interface TargetNode {
  kind: "target";
  id: string;
  target: GraphTarget;
  /** Ids of the triggers that start it. */
  triggers: string[];
}

/**
 * The whole project as columns, in a deterministic order. Endpoints are sorted by name, triggers by their endpoints,
 * and targets by their first trigger. Targets without a trigger are last.
 */
export interface ArrangedGraph {
  endpoints: EndpointNode[];
  triggers: TriggerNode[];
  targets: TargetNode[];
}

export function arrangeGraph(attachments: readonly GraphAttachment[], targets: readonly GraphTarget[]): ArrangedGraph {
  const triggers = groupAttachments(attachments);
  return { endpoints: groupEndpoints(triggers), triggers, targets: orderTargets(targets, triggers) };
}

/** One node per slug, for any number of targets: they share request and filter. */
function groupAttachments(attached: readonly GraphAttachment[]): TriggerNode[] {
  const nodes = new Map<string, TriggerNode>();
  const sorted = attached.toSorted(
    (one, other) => compare(one.endpoint, other.endpoint) || compare(one.attachmentId, other.attachmentId),
  );
  for (const { slug, endpoint, methods, conditions, hasFilter, fieldParts, ...attachment } of sorted) {
    const id = `trigger:${slug}`;
    const node: TriggerNode = nodes.get(id) ?? {
      kind: "trigger",
      id,
      slug,
      endpoint,
      methods,
      conditions,
      hasFilter,
      fieldParts,
      attachments: [],
      attachmentIds: [],
      files: [],
    };
    node.attachments.push({ ...attachment, targetId: targetName(attachment.target) });
    node.attachmentIds.push(attachment.attachmentId);
    if (!node.files.includes(attachment.file)) node.files.push(attachment.file);
    nodes.set(id, node);
  }
  return [...nodes.values()];
}

function groupEndpoints(triggers: readonly TriggerNode[]): EndpointNode[] {
  return [...Map.groupBy(triggers, ({ endpoint }) => endpoint)].map(([endpoint, its]) => ({
    kind: "endpoint",
    id: `endpoint:${endpoint}`,
    endpoint,
    path: `/triggers/${endpoint}`,
    // The sources of one endpoint have the same methods.
    methods: its[0]?.methods ?? ["POST"],
    triggers: its.map(({ id }) => id),
  }));
}

function orderTargets(targets: readonly GraphTarget[], triggers: readonly TriggerNode[]): TargetNode[] {
  const startedBy = new Map<string, string[]>();
  for (const { id, attachments } of triggers)
    for (const { targetId: to } of attachments) startedBy.set(to, [...(startedBy.get(to) ?? []), id]);
  const nodes = new Map<string, TargetNode>(
    targets.map((target) => {
      const id = targetName(target);
      return [id, { kind: "target", id, target, triggers: startedBy.get(id) ?? [] }];
    }),
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
