import type { Settings } from "../config.ts";
import { systemClock } from "../ports/clock.ts";
import type { Manifest } from "../contract/project/manifest.ts";
import type { Logger } from "../ports/logger.ts";
import type { Store } from "../ports/store.ts";
import { mapCurrentStack } from "../project/map-stack.ts";
import { readManifest } from "../project/read-manifest.ts";
import { createLocalSocket } from "./local-socket.ts";
import { openConfiguredStore } from "./open-configured-store.ts";
import { openRunHost } from "./open-run-host.ts";
import type { Reporter } from "./protocol.ts";
import { startUpkeep } from "../upkeep/start-upkeep.ts";
import { createWorkerPool, type WorkerPool } from "./worker-pool.ts";

/**
 * The worker pool of a project, with the store from which its workers get their runs, and that it keeps in order. It is
 * not started yet. The caller closes the pool, then the store.
 */
export async function openWorkerPool(p: {
  settings: Settings;
  env?: NodeJS.ProcessEnv | undefined;
  reporter: Reporter;
  logger: Logger;
}): Promise<{ pool: WorkerPool; store: Store }> {
  const { settings, env, reporter, logger } = p;
  const { stateDir } = settings;
  const store = await openConfiguredStore(settings, logger);
  const address = await createLocalSocket("runs");
  const runs = await openRunHost({ settings, store, reporter, logger, address }).catch(async (error: unknown) => {
    await store.close();
    throw error;
  });
  const pool = createWorkerPool({
    settings,
    ...(env ? { env } : {}),
    host: runs.host,
    channel: address,
    mapStack: (stack) => mapCurrentStack(stateDir, stack),
    reporter,
    logger,
    clock: systemClock,
  });
  const upkeep = startUpkeep({
    store,
    retention: settings.retention,
    maxDedupeMs: async () => longestDedupe(await readManifest(stateDir)),
    isOurTurn: runs.host.hasOldestWorker,
    clock: systemClock,
    logger,
  });
  const close = async () => {
    await upkeep.close();
    await runs.close();
    await address.remove();
    await store.close();
  };
  return { pool, store: { ...store, close } };
}

/** For how long a source wants a name to be remembered, at most; `null` where there is none that says. */
function longestDedupe(manifest: Manifest | null): number | null {
  return manifest && Math.max(0, ...manifest.triggers.map(({ dedupe }) => dedupe?.windowMs ?? 0));
}
