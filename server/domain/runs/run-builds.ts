import type { Mode } from "../../config.ts";
import type { Manifest } from "../../contract/project/manifest.ts";

/** The builds of a worker's machine. */
export interface WorkerBuilds {
  /** The version of the current build. */
  version: string;
  /** The versions of the other builds that the machine keeps. */
  keptVersions: ReadonlySet<string>;
  /** The targets (`kind:slug`) whose open runs continue on the current build: `versions: "latest"`. */
  latestTargets: ReadonlySet<string>;
}

/** The build of a run that its worker's current build did not accept. */
export interface RunBuild {
  /** The version that accepted the run. */
  acceptedBy: string;
  /** The version that executes it. */
  version: string;
}

/**
 * The build that executes a run: the one that accepted it, while the machine keeps it. Otherwise the current build, and
 * always for targets with `versions: "latest"`. Absent: the current build accepted the run.
 */
export function chooseBuild(
  run: { version: string; target: string },
  { version, keptVersions, latestTargets }: WorkerBuilds,
): RunBuild | undefined {
  if (run.version === version) return undefined;
  const isPinned = keptVersions.has(run.version) && !latestTargets.has(run.target);
  return { acceptedBy: run.version, version: isPinned ? run.version : version };
}

/** The targets (`kind:slug`) whose open runs continue on this build while it is current. */
export function latestTargetsOf({ workflows, agents }: Pick<Manifest, "workflows" | "agents">, mode: Mode): string[] {
  // In development, code that was just saved is expected to run.
  const isLatest = ({ versions }: Manifest["workflows"][number]) => mode === "development" || versions === "latest";
  return [
    ...workflows.filter(isLatest).map(({ slug }) => `workflow:${slug}`),
    ...agents.filter(isLatest).map(({ slug }) => `agent:${slug}`),
  ];
}

/** The message in the timeline of a run if another version executes it than the one that accepted it. */
export function buildNote(
  build: RunBuild | undefined,
  { keptVersions }: Pick<WorkerBuilds, "keptVersions">,
): { message?: string } {
  if (!build || build.version === build.acceptedBy) return {};
  const { acceptedBy, version } = build;
  const reason = keptVersions.has(acceptedBy)
    ? `it is the latest version, and ${acceptedBy} accepted the run.`
    : `no worker has version ${acceptedBy}, which accepted the run.`;
  return { message: `Executed by version ${version}: ${reason}` };
}

// ---- several machines ----

/** A build that is current on machines with active workers, and the start time of the first of these workers. */
export interface LiveVersion {
  version: string;
  beganAt: number;
  /** The versions of the other builds that such a machine keeps. */
  keptVersions?: readonly string[];
}

/** The versions whose runs a worker may take: only those of builds that it has, or all except some others. */
export type VersionsToTake = { only: readonly string[] } | { allBut: readonly string[] };

/**
 * While workers of several builds are active, each run is for a machine that has the build that accepted it. The newest
 * build also takes runs of builds that no machine has. The newest build is the one whose first worker started last:
 * restarting a worker of an older build changes nothing.
 */
export function versionsToTake(
  mine: Pick<WorkerBuilds, "version" | "keptVersions">,
  live: readonly LiveVersion[],
): VersionsToTake {
  const { version, keptVersions } = mine;
  const others = live.filter((other) => other.version !== version);
  const own = live.find((one) => one.version === version);
  const isNewest = others.every(
    (other) =>
      own !== undefined && (other.beganAt < own.beganAt || (other.beganAt === own.beganAt && other.version < version)),
  );
  if (!isNewest) return { only: [version, ...keptVersions] };
  const ofOthers = new Set(others.flatMap((other) => [other.version, ...(other.keptVersions ?? [])]));
  return { allBut: [...ofOthers].filter((one) => one !== version && !keptVersions.has(one)) };
}
