/** A build of which workers take runs now, and since when the first of them is there. */
export interface LiveVersion {
  version: string;
  beganAt: number;
}

/** Runs of which versions a worker may take: those that its own build accepted alone, or all but those of some others. */
export type VersionsToTake = { only: string } | { allBut: readonly string[] };

/**
 * While workers of several builds live side by side, each run is for the build that accepted it; the newest also takes
 * the runs that no worker's build accepted. The newest is the one whose first worker came last: a worker of an older
 * build that is started again changes nothing.
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
