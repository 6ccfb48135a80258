/** A build with active workers, and the start time of the first of them. */
export interface LiveVersion {
  version: string;
  beganAt: number;
}

/** The versions whose runs a worker may take: only those of its own build, or all except those of some other builds. */
export type VersionsToTake = { only: string } | { allBut: readonly string[] };

/**
 * While workers of several builds are active, each run is for the build that accepted it. The newest build also takes
 * runs of builds without workers. The newest build is the one whose first worker started last: restarting a worker of
 * an older build changes nothing.
 */
export function versionsToTake(mine: string, live: readonly LiveVersion[]): VersionsToTake {
  const others = live.filter(({ version }) => version !== mine);
  const own = live.find(({ version }) => version === mine);
  const isNewest = others.every(
    ({ version, beganAt }) =>
      own !== undefined && (beganAt < own.beganAt || (beganAt === own.beganAt && version < mine)),
  );
  return isNewest ? { allBut: others.map(({ version }) => version) } : { only: mine };
}
