import { join } from "node:path";
import type { Settings } from "../config.ts";
import type { Manifest } from "../contract/project/manifest.ts";
import { systemClock } from "../ports/clock.ts";
import type { Logger } from "../ports/logger.ts";
import type { Store } from "../ports/store.ts";
import { removeOldBuilds } from "../project/kept-builds.ts";
import { readManifest } from "../project/read-manifest.ts";
import { leaseMs } from "../domain/runs/lease.ts";
import { updateContracts } from "../triggers/contract-drift.ts";
import { startUpkeep } from "../upkeep/start-upkeep.ts";
import { machineName } from "./machine-name.ts";

/** Runs upkeep of the store. If several machines share it, the one with the oldest worker does. */
export function startStoreUpkeep(p: {
  settings: Settings;
  store: Pick<Store, "listWorkers" | "countOpenRunsByVersion"> &
    Parameters<typeof startUpkeep>[0]["store"] &
    Parameters<typeof updateContracts>[0]["store"];
  logger: Logger;
}): { close(): Promise<void> } {
  const { settings, store, logger } = p;
  return startUpkeep({
    store,
    retention: settings.retention,
    maxDedupeMs: async () => findMaxDedupe(await readManifest(settings.stateDir)),
    async isOurTurn() {
      const oldest = (await store.listWorkers({ seenSince: systemClock.now() - leaseMs })).at(-1);
      return oldest === undefined || oldest.host === machineName(settings);
    },
    async updateContracts(options) {
      const triggers = (await readManifest(settings.stateDir))?.triggers ?? [];
      const endpoints = new Map(triggers.map(({ endpoint, body }) => [endpoint, body]));
      await updateContracts({ store, clock: systemClock }, { endpoints, ...options });
    },
    async removeOldBuilds() {
      const current = (await readManifest(settings.stateDir))?.version;
      if (current === undefined) return [];
      const folders = [join(settings.stateDir, "builds"), ...(settings.buildsDir === null ? [] : [settings.buildsDir])];
      const removed = new Set<string>();
      for (const folder of folders)
        for (const version of await removeOldBuilds(folder, { current, readNeeded: () => readNeededBuilds(store) }))
          removed.add(version);
      return [...removed];
    },
    clock: systemClock,
    logger,
  });
}

/** The builds of open runs, and those of workers, which may not have loaded the current build yet. */
async function readNeededBuilds(
  store: Pick<Store, "listWorkers" | "countOpenRunsByVersion">,
): Promise<ReadonlySet<string>> {
  const workers = await store.listWorkers({ seenSince: systemClock.now() - leaseMs });
  return new Set([...(await store.countOpenRunsByVersion()).keys(), ...workers.map(({ version }) => version)]);
}

/** The longest deduplication window of the triggers. `null`: there is no build. */
function findMaxDedupe(manifest: Manifest | null): number | null {
  return manifest && Math.max(0, ...manifest.triggers.map(({ dedupe }) => dedupe?.windowMs ?? 0));
}
