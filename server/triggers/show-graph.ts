import type { Mode } from "../config.ts";
import type { Manifest, ManifestAgent, ManifestTrigger, ManifestWorkflow } from "../contract/project/manifest.ts";
import type { Target, TargetKind } from "../contract/project/target.ts";
import { inBatches } from "../domain/event-loop.ts";
import { type Condition, conditionsOf } from "../domain/schema/conditions.ts";
import type { ProjectReader } from "../ports/project.ts";

interface GraphTrigger {
  attachmentId: string;
  slug: string;
  endpoint: string;
  path: string;
  target: Target;
  file: string;
  hasTransform: boolean;
  hasFilter: boolean;
  hasHeaders: boolean;
  /** The conditions, in words. */
  conditions: Condition[];
  /** The kind of its agent's prompt; `null` if it starts a workflow. */
  prompt: ManifestTrigger["prompt"];
}

interface GraphTarget extends Target {
  file: string;
  attempts: number;
  timeoutMs: number;
  concurrency: number | null;
  /** `null`: it is a workflow. */
  agent: GraphAgent | null;
}

interface GraphAgent extends Pick<ManifestAgent, "model"> {
  tools: Pick<ManifestAgent["tools"][number], "name" | "needsApproval">[];
}

/** The project as shown on the canvas. */
export interface Graph {
  version: string;
  name: string;
  mode: Mode;
  /** In the order of attachment ids. */
  triggers: GraphTrigger[];
  /** All targets, including those that no trigger starts. */
  targets: GraphTarget[];
}

const portion = 20;
const known = new WeakMap<Manifest, Promise<Pick<Graph, "triggers" | "targets">>>();

/**
 * Endpoints, triggers and targets without their schemas, which are many times larger. The conditions are put into words
 * once per build.
 */
export async function showGraph(deps: { project: ProjectReader; name: string; mode: Mode }): Promise<Graph> {
  const { manifest } = deps.project.current();
  const drawn = known.get(manifest) ?? draw(manifest);
  known.set(manifest, drawn);
  return { version: manifest.version, name: deps.name, mode: deps.mode, ...(await drawn) };
}

async function draw({ triggers, workflows, agents }: Manifest): Promise<Pick<Graph, "triggers" | "targets">> {
  return {
    triggers: await inBatches(triggers, { size: portion, work: async (some) => some.map(drawTrigger) }),
    targets: [
      ...workflows.map((workflow) => drawTarget("workflow", workflow, null)),
      ...agents.map((agent) => drawTarget("agent", agent, drawAgent(agent))),
    ],
  };
}

function drawTarget(
  kind: TargetKind,
  { slug, file, retries, timeoutMs, concurrency }: ManifestWorkflow,
  agent: GraphAgent | null,
): GraphTarget {
  return { kind, slug, file, attempts: retries.attempts, timeoutMs, concurrency, agent };
}

function drawAgent({ model, tools }: ManifestAgent): GraphAgent {
  return { model, tools: tools.map(({ name, needsApproval }) => ({ name, needsApproval })) };
}

function drawTrigger({
  attachmentId,
  slug,
  endpoint,
  target,
  file,
  hasTransform,
  request,
  filter,
  headers,
  prompt,
}: ManifestTrigger): GraphTrigger {
  const path = `/triggers/${endpoint}`;
  return {
    attachmentId,
    slug,
    endpoint,
    path,
    target,
    file,
    hasTransform,
    hasFilter: filter !== null,
    hasHeaders: headers !== null,
    conditions: conditionsOf({ request, filter, headers }),
    prompt,
  };
}
