import type { Mode } from "../config.ts";
import type { Manifest, ManifestTrigger } from "../contract/project/manifest.ts";
import { fieldParts } from "../contract/request-parts.ts";
import { inBatches } from "../domain/event-loop.ts";
import { conditionsOf } from "../shared/schema/conditions.ts";
import type { ProjectReader } from "../ports/project.ts";
import { type ArrangedGraph, arrangeGraph, type GraphAttachment } from "./arrange-graph.ts";

/** The project as shown on the canvas, with all targets, including those that no trigger starts. */
export interface Graph extends ArrangedGraph {
  version: string;
  name: string;
  mode: Mode;
}

const portion = 20;
const known = new WeakMap<Manifest, Promise<ArrangedGraph>>();

/**
 * Sources, triggers and targets without their schemas, which are many times larger. The conditions are put into words
 * once per build.
 */
export async function showGraph(deps: { project: ProjectReader; name: string; mode: Mode }): Promise<Graph> {
  const { manifest } = deps.project.current();
  const drawn = known.get(manifest) ?? draw(manifest);
  known.set(manifest, drawn);
  return { version: manifest.version, name: deps.name, mode: deps.mode, ...(await drawn) };
}

async function draw({ triggers, workflows, agents }: Manifest): Promise<ArrangedGraph> {
  const attachments = await inBatches(triggers, { size: portion, work: async (some) => some.map(drawAttachment) });
  return arrangeGraph(attachments, [
    ...workflows.map(({ slug, file }) => ({ kind: "workflow" as const, slug, file, agent: null })),
    ...agents.map(({ slug, file, model, tools }) => ({
      kind: "agent" as const,
      slug,
      file,
      agent: { model, tools: tools.map(({ name, needsApproval }) => ({ name, needsApproval })) },
    })),
  ]);
}

function drawAttachment({
  attachmentId,
  slug,
  endpoint,
  methods,
  target,
  file,
  hasTransform,
  request,
  filter,
  headers,
  query,
  prompt,
}: ManifestTrigger): GraphAttachment {
  return {
    attachmentId,
    slug,
    source: { kind: "webhook", endpoint, methods },
    target,
    file,
    hasTransform,
    hasFilter: filter !== null,
    fieldParts: fieldParts.filter((part) => ({ headers, query })[part] !== null),
    conditions: conditionsOf({ request, filter, headers, query }),
    prompt,
  };
}
