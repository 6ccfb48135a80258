import type { Manifest, ManifestWorkflow } from "../../contract/project/manifest.ts";
import { type TargetKind, targetName } from "../../contract/project/target.ts";

/**
 * The options of a target that the store applies to its runs. `maxQueued`: the maximum of queued runs of the target,
 * including these. `concurrency`: that of concurrent ones. Absent or `null`: no limit. They are not stored.
 */
export type RunLimits = Partial<Pick<ManifestWorkflow, "maxQueued" | "concurrency">>;

export function runLimitsOf({ maxQueued = null, concurrency = null }: RunLimits): RunLimits {
  return { maxQueued, concurrency };
}

/** The targets (`kind:slug`) of a build that limit their concurrent runs, with their limits. */
export function concurrencyOf({ workflows, agents }: Pick<Manifest, "workflows" | "agents">): [string, number][] {
  return [...limitsOf("workflow", workflows), ...limitsOf("agent", agents)];
}

function limitsOf(kind: TargetKind, targets: Manifest["workflows"]): [string, number][] {
  return targets.flatMap(({ slug, concurrency }): [string, number][] =>
    concurrency === null ? [] : [[targetName({ kind, slug }), concurrency]],
  );
}
