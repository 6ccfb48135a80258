import { freeSlots, type HostedWorker } from "./hosted-worker.ts";

/** The free slots of workers that can execute the same runs. One claim fills them. */
export interface ClaimGroup {
  pool: "shared" | "isolated";
  version: string;
  concurrency: ReadonlyMap<string, number>;
  slots: string[];
}

/**
 * The free slots of workers, grouped by what they can execute. The slots of a group are in the order in which they are
 * filled: the worker with the fewest runs first.
 */
export function groupSlots(workers: Iterable<HostedWorker>): ClaimGroup[] {
  const groups = Map.groupBy(workers, ({ identity }) => JSON.stringify([identity.pool, identity.version]));
  return [...groups.values()].flatMap((members) => {
    const [first] = members;
    const slots = members.flatMap((worker) =>
      Array.from({ length: freeSlots(worker) }, (_, n) => ({ id: worker.identity.id, load: loadOf(worker) + n })),
    );
    if (!first || slots.length === 0) return [];
    const { pool, version, concurrency } = first.identity;
    slots.sort((a, b) => a.load - b.load);
    return [{ pool, version, concurrency: new Map(concurrency), slots: slots.map(({ id }) => id) }];
  });
}

/** Whether the worker can execute what is claimed for the group. */
export const isGroupOf =
  ({ identity }: HostedWorker) =>
  ({ pool, version }: ClaimGroup): boolean =>
    pool === identity.pool && version === identity.version;

/** The number of runs that the worker has or is about to get. */
export const loadOf = ({ runs, reserved }: HostedWorker): number => runs.size + reserved;
