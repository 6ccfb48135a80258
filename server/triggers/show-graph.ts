import type { Mode } from "../config.ts";
import type { Target } from "../contract/target.ts";
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
  /** What must hold, in words. */
  conditions: Condition[];
}

interface GraphTarget extends Target {
  file: string;
  attempts: number;
  timeoutMs: number;
  concurrency: number | null;
}

/** The project as its canvas draws it. */
export interface Graph {
  version: string;
  name: string;
  mode: Mode;
  /** In the order of attachment ids. */
  triggers: GraphTrigger[];
  /** All that there are, also those that no trigger starts. */
  targets: GraphTarget[];
}

/** Endpoints, triggers and targets without their schemas, which are many times larger. */
export function showGraph(deps: { project: ProjectReader; name: string; mode: Mode }): Graph {
  const { version, triggers, workflows } = deps.project.current().manifest;
  return {
    version,
    name: deps.name,
    mode: deps.mode,
    triggers: triggers.map(({ attachmentId, slug, endpoint, target, file, hasTransform, request, filter }) => ({
      attachmentId,
      slug,
      endpoint,
      path: `/triggers/${endpoint}`,
      target,
      file,
      hasTransform,
      hasFilter: filter !== null,
      conditions: conditionsOf(request, filter),
    })),
    targets: workflows.map(({ slug, file, retries, timeoutMs, concurrency }) => ({ kind: "workflow", slug, file, attempts: retries.attempts, timeoutMs, concurrency })),
  };
}
