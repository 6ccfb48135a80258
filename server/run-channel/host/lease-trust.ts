export interface LeaseTrust {
  /** Runs a query of the store, and records when the store was unreachable. */
  watch<Result>(query: () => Promise<Result>): Promise<Result>;
  /** Whether an expired lease shows that its worker has ended. */
  mayTrust(): boolean;
}

/**
 * While the store is unreachable, no lease can be extended. When it is reachable again, all leases have expired, also
 * those of workers that execute steps. These workers get the duration of one lease to extend theirs. The same applies
 * after the start of this process.
 */
export function createLeaseTrust({
  leaseMs,
  now = () => performance.now(),
}: {
  leaseMs: number;
  now?: () => number;
}): LeaseTrust {
  let unavailableAt = now();
  return {
    async watch(query) {
      const startedAt = now();
      try {
        return await query();
      } catch (error) {
        unavailableAt = now();
        throw error;
      } finally {
        // Renewals were delayed as well.
        if (now() - startedAt > leaseMs / 3) unavailableAt = now();
      }
    },
    mayTrust: () => now() - unavailableAt >= leaseMs,
  };
}
