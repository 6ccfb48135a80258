export interface LeaseTrust {
  /** Asks the store, and notes when it was away. */
  watch<Result>(ask: () => Promise<Result>): Promise<Result>;
  /** Whether a lease that has run out says that its worker is gone. */
  mayTrust(): boolean;
}

/**
 * While nobody reaches the store nobody can renew a lease: when it comes back all have run out, of workers that are
 * alive and in the middle of their steps. So they get the time of one lease to say that they are there. The same where
 * this process has just come, and knows of nothing.
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
        // Held up for so long that renewals were, too.
        if (now() - askedAt > leaseMs / 3) wasAwayAt = now();
      }
    },
    mayTrust: () => now() - wasAwayAt >= leaseMs,
  };
}
