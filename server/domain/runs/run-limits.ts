import type { Manifest, ManifestWorkflow } from "../../contract/project/manifest.ts";
import type { Concurrency } from "../../contract/project/options.ts";
import { type TargetKind, targetName } from "../../contract/project/target.ts";

/**
 * The options of a target that the store applies to its runs. `maxQueued`: the maximum of queued runs of the target,
 * including these. Runs that wait for their key do not count. `concurrency`: that of concurrent ones. Absent or `null`:
 * no limit. They are not stored.
 */
export type RunLimits = Partial<Pick<ManifestWorkflow, "maxQueued" | "concurrency">>;

/** The limits of targets (`kind:slug`) on their concurrent runs. Other targets have none. */
export type ConcurrencyLimits = ReadonlyMap<string, Concurrency>;

/** The limits of the current build, by which runs free the slots of their keys. */
export interface CurrentLimits {
  current: ConcurrencyLimits;
}

export function runLimitsOf({ maxQueued = null, concurrency = null }: RunLimits): RunLimits {
  return { maxQueued, concurrency };
}

/** The targets of a build that limit their concurrent runs, with their limits. */
export function limitsOf({ workflows, agents }: Pick<Manifest, "workflows" | "agents">): [string, Concurrency][] {
  return [...limitsOfKind("workflow", workflows), ...limitsOfKind("agent", agents)];
}

function limitsOfKind(kind: TargetKind, targets: Manifest["workflows"]): [string, Concurrency][] {
  return targets.flatMap(({ slug, concurrency }): [string, Concurrency][] =>
    concurrency === null ? [] : [[targetName({ kind, slug }), concurrency]],
  );
}
