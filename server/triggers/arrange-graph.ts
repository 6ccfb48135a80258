import type { ManifestAgent, ManifestTrigger } from "../contract/project/manifest.ts";
import type { Methods } from "../contract/project/endpoint.ts";
import { type Target, targetName } from "../contract/project/target.ts";
import type { FieldPart } from "../contract/request-parts.ts";
import type { Condition } from "../shared/schema/conditions.ts";

/** What a trigger listens to. Each kind of source has its own fields, and is shown by the canvas in its own way. */
type GraphSource = WebhookSource;

interface WebhookSource {
  kind: "webhook";
  endpoint: string;
  /** The sources of one endpoint have the same methods. */
  methods: Methods;
}

/** One attachment of a trigger to a target, as the manifest has it. Its conditions are in words. */
export interface GraphAttachment extends Pick<
  ManifestTrigger,
  "attachmentId" | "slug" | "target" | "file" | "hasTransform" | "prompt"
> {
  source: GraphSource;
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

/** A node of the canvas. Its id is as in the URL: `endpoint:billing`, `trigger:invoice-paid`, `workflow:post-to-ledger`. */
interface SourceNode {
  kind: "source";
  id: string;
  /** Of a webhook, the path of the endpoint. */
  label: string;
  source: GraphSource;
  /** Ids of its triggers. */
  triggers: string[];
}

interface TriggerNode extends Pick<GraphAttachment, "slug" | "source" | "conditions" | "hasFilter" | "fieldParts"> {
  kind: "trigger";
  id: string;
  /** The id of the node of its source. */
  sourceId: string;
  /** One for each target. `targetId`: the id of its node; `null`: it has no target, and only wakes runs. */
  attachments: ({ targetId: string | null } & Pick<
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
 * The whole project as columns, in a deterministic order. Sources are sorted by id, triggers by their sources, and
 * targets by their first trigger. Targets without a trigger are last.
 */
export interface ArrangedGraph {
  sources: SourceNode[];
  triggers: TriggerNode[];
  targets: TargetNode[];
}

export function arrangeGraph(attachments: readonly GraphAttachment[], targets: readonly GraphTarget[]): ArrangedGraph {
  const triggers = groupAttachments(attachments);
  return { sources: groupSources(triggers), triggers, targets: orderTargets(targets, triggers) };
}

/** One node per slug, for any number of targets: they share request and filter. */
function groupAttachments(attached: readonly GraphAttachment[]): TriggerNode[] {
  const nodes = new Map<string, TriggerNode>();
  const sorted = attached.toSorted(
    (one, other) =>
      compare(sourceId(one.source), sourceId(other.source)) || compare(one.attachmentId, other.attachmentId),
  );
  for (const { slug, source, conditions, hasFilter, fieldParts, ...attachment } of sorted) {
    const id = `trigger:${slug}`;
    const node: TriggerNode = nodes.get(id) ?? {
      kind: "trigger",
      id,
      slug,
      source,
      sourceId: sourceId(source),
      conditions,
      hasFilter,
      fieldParts,
      attachments: [],
      attachmentIds: [],
      files: [],
    };
    node.attachments.push({ ...attachment, targetId: attachment.target && targetName(attachment.target) });
    node.attachmentIds.push(attachment.attachmentId);
    if (!node.files.includes(attachment.file)) node.files.push(attachment.file);
    nodes.set(id, node);
  }
  return [...nodes.values()];
}

function groupSources(triggers: readonly TriggerNode[]): SourceNode[] {
  const nodes = new Map<string, SourceNode>();
  for (const { id, source, sourceId: of } of triggers) {
    const node = nodes.get(of) ?? { kind: "source", id: of, label: labelOf(source), source, triggers: [] };
    node.triggers.push(id);
    nodes.set(of, node);
  }
  return [...nodes.values()];
}

/** The id of a source begins with the word that users have for it. */
function sourceId({ endpoint }: GraphSource): string {
  return `endpoint:${endpoint}`;
}

function labelOf({ endpoint }: GraphSource): string {
  return `/triggers/${endpoint}`;
}

function orderTargets(targets: readonly GraphTarget[], triggers: readonly TriggerNode[]): TargetNode[] {
  const startedBy = new Map<string, string[]>();
  for (const { id, attachments } of triggers)
    for (const { targetId: to } of attachments) if (to !== null) startedBy.set(to, [...(startedBy.get(to) ?? []), id]);
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
