import type { Store } from "../../server/ports/store.ts";
import { openPostgresStore } from "../../server/store/postgres/open-store.ts";
import { count, milliseconds } from "../report/format.ts";
import { percentile } from "../report/statistics.ts";

const slots = 5;
const leaseMs = 12_000;

/**
 * Hosts of several machines, each with its own connections. They claim runs, renew their leases and end them, as fast
 * as possible. Throws if a run was claimed twice. Returns a description of the result.
 */
export async function runHosts(p: { url: string; hosts: number; seconds: number }): Promise<string> {
  const stores: Store[] = [];
  try {
    for (let n = 0; n < p.hosts; n += 1) stores.push(await openPostgresStore({ url: p.url }));
    const seen = new Set<string>();
    const waits: number[] = [];
    const until = performance.now() + p.seconds * 1000;
    await Promise.all(stores.map((store, n) => live(store, { worker: `wrk_${n}`, until, seen, waits })));
    const sorted = Float64Array.from(waits).sort();
    return `${p.hosts} hosts: ${count(seen.size / p.seconds)} runs a second claimed, renewed and ended, each once; a claim took ${milliseconds(percentile(sorted, 0.5))} ms (p50), ${milliseconds(percentile(sorted, 0.99))} ms (p99)`;
  } finally {
    await Promise.all(stores.map((store) => store.close()));
  }
}

async function live(
  store: Store,
  p: { worker: string; until: number; seen: Set<string>; waits: number[] },
): Promise<void> {
  while (performance.now() < p.until) {
    const began = performance.now();
    const now = Date.now();
    const runs = await store.claimRuns({
      slots: Array.from({ length: slots }, () => p.worker),
      pool: "shared",
      limits: new Map(),
      now,
      leaseMs,
    });
    p.waits.push(performance.now() - began);
    if (runs.length === 0) throw new Error("All runs were claimed: queue more");
    for (const { id } of runs) {
      if (p.seen.has(id)) throw new Error(`${id} was claimed twice`);
      p.seen.add(id);
    }
    const claims = runs.map(({ id, token }) => ({ id, token }));
    const [{ lost }] = await Promise.all([
      store.extendLeases({ runs: claims, now, leaseMs }),
      store.heartbeatWorker({
        id: p.worker,
        pid: 1,
        host: p.worker,
        version: "bench",
        startedAt: now,
        seenAt: now,
      }),
    ]);
    if (lost.length > 0) throw new Error(`${p.worker} has lost ${lost.length} runs`);
    await Promise.all(
      claims.map(({ id, token }) =>
        store.writeProgress({
          runId: id,
          token,
          now: Date.now(),
          entries: [],
          transition: { to: "completed", output: null },
        }),
      ),
    );
  }
}
