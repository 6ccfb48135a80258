import type { Pool } from "../../domain/runs/blocked-work.ts";

/** The numbers of due runs that wait because the workers of a pool do not take them. */
export interface WaitingRuns {
  /** The last known number, 0 if it is old. A newer one is requested in the background. */
  of(pool: Pool): number;
  /** Forgets the numbers: a worker ends. */
  forget(): void;
}

const askEveryMs = 1_000;
const staleAfterMs = 5_000;

/** The request may take long, because the receiver is being restarted: the watch does not wait for it. */
export function createWaitingRuns(p: {
  count: (pool: Pool) => Promise<number>;
  onError: (error: unknown) => void;
  now?: () => number;
}): WaitingRuns {
  const now = p.now ?? (() => performance.now());
  let known = new Map<Pool, { runs: number; at: number }>();
  const asking = new Set<Pool>();

  async function ask(pool: Pool): Promise<void> {
    asking.add(pool);
    // A number that was requested before a worker ended is forgotten, too.
    const asked = known;
    try {
      asked.set(pool, { runs: await p.count(pool), at: now() });
    } catch (error) {
      p.onError(error);
    } finally {
      asking.delete(pool);
    }
  }

  return {
    of(pool) {
      const last = known.get(pool);
      if (!asking.has(pool) && (!last || now() - last.at >= askEveryMs)) void ask(pool);
      return last && now() - last.at < staleAfterMs ? last.runs : 0;
    },
    forget: () => void (known = new Map()),
  };
}
