import type { Target } from "../contract/project/target.ts";
import type { ProjectReader } from "../ports/project.ts";

/** The names of selectable resources. */
export interface Names {
  version: string;
  /** In the order of attachment ids. */
  triggers: { slug: string; endpoint: string }[];
  targets: Target[];
}

/** The names in the active project: a thousandth of its full description. */
export function listNames(deps: { project: ProjectReader }): Names {
  const { version, triggers, workflows, agents } = deps.project.current().manifest;
  const bySlug = new Map(triggers.map(({ slug, endpoint }) => [slug, { slug, endpoint }]));
  return {
    version,
    triggers: [...bySlug.values()],
    targets: [
      ...workflows.map(({ slug }): Target => ({ kind: "workflow", slug })),
      ...agents.map(({ slug }): Target => ({ kind: "agent", slug })),
    ],
  };
}
