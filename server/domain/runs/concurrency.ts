import type { Manifest } from "../../contract/project/manifest.ts";
import { type TargetKind, targetName } from "../../contract/project/target.ts";

/** The targets (`kind:slug`) of a build that limit their concurrent runs, with their limits. */
export function concurrencyOf({ workflows, agents }: Pick<Manifest, "workflows" | "agents">): [string, number][] {
  return [...limitsOf("workflow", workflows), ...limitsOf("agent", agents)];
}

function limitsOf(kind: TargetKind, targets: Manifest["workflows"]): [string, number][] {
  return targets.flatMap(({ slug, concurrency }): [string, number][] =>
    concurrency === null ? [] : [[targetName({ kind, slug }), concurrency]],
  );
}
