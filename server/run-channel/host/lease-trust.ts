/** Duration of a worker's lease on its runs. Including the check interval, other workers take over within 15 seconds. */
export const leaseMs = 12_000;

export interface LeaseTrust {
  /** Uses the store, and notes when it was unreachable. */
  watch<Result>(ask: () => Promise<Result>): Promise<Result>;
  /** Whether an expired lease shows that its worker is gone. */
  mayTrust(): boolean;
}

/**
 * While the store is unreachable, no lease can be extended. When it is back, all leases are over, also those of workers
 * that are in the middle of their steps. They get the duration of one lease to extend theirs. The same applies after
 * this process has started.
 */
export function createLeaseTrust({
  leaseMs,
  now = () => performance.now(),
}: {
  leaseMs: number;
  now?: () => number;
}): LeaseTrust {
  let wasAwayAt = now();
  return {
    async watch(ask) {
      const askedAt = now();
      try {
        return await ask();
      } catch (error) {
        wasAwayAt = now();
        throw error;
      } finally {
        // Renewals were delayed as well.
        if (now() - askedAt > leaseMs / 3) wasAwayAt = now();
      }
    },
    mayTrust: () => now() - wasAwayAt >= leaseMs,
  };
}
