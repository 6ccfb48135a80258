import type { Manifest } from "../contract/project/manifest.ts";
import {
  type BlockedRuns,
  type DueRuns,
  findBlockedRuns,
  maxDueRuns,
  pools,
  workerSilenceMs,
} from "../domain/runs/blocked-work.ts";
import { limitsOf } from "../domain/runs/run-limits.ts";
import type { WorkerInfo } from "./store/engine-store.ts";
import type { Store } from "./store.ts";

/** The due runs of a store, and why no worker can take them. */
export interface DueWork {
  due: readonly DueRuns[];
  blocked: readonly BlockedRuns[];
  /** The workers that have reported a moment ago. */
  workers: readonly WorkerInfo[];
}

/** Reads the due runs. `manifest`: the current build, which limits the concurrent runs of targets. */
export async function readDueWork(p: {
  store: Pick<Store, "listDueRuns" | "listWorkers">;
  manifest: Manifest | null;
  now: number;
}): Promise<DueWork> {
  const { store, manifest, now } = p;
  const limits = new Map(manifest ? limitsOf(manifest) : []);
  const [due, workers] = await Promise.all([
    store.listDueRuns({ pools, now, limits, limit: maxDueRuns }),
    store.listWorkers({ seenSince: now - workerSilenceMs }),
  ]);
  return { due, blocked: findBlockedRuns({ due, workers, now }), workers };
}
