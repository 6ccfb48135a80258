import type { Settings } from "../config.ts";
import { systemClock } from "../ports/clock.ts";
import type { Logger } from "../ports/logger.ts";
import type { Store } from "../ports/store.ts";
import { mapCurrentStack } from "../project/map-current-stack.ts";
import { readManifest } from "../project/read-manifest.ts";
import { openConfiguredStore } from "./open-configured-store.ts";
import type { Reporter } from "./protocol.ts";
import { createWorkerPool, type WorkerPool } from "./worker-pool.ts";

/** The worker pool of a project, with the store that it watches over its runs with. Not started yet; whoever opens it closes both. */
export async function openWorkerPool(p: {
  settings: Settings;
  env?: NodeJS.ProcessEnv | undefined;
  reporter: Reporter;
  logger: Logger;
}): Promise<{ pool: WorkerPool; store: Store }> {
  const { settings, env, reporter, logger } = p;
  const { stateDir } = settings;
  const store = await openConfiguredStore(settings, logger);
  const pool = createWorkerPool({
    settings,
    ...(env ? { env } : {}),
    store,
    readManifest: () => readManifest(stateDir),
    mapStack: (stack) => mapCurrentStack(stateDir, stack),
    reporter,
    logger,
    clock: systemClock,
  });
  return { pool, store };
}
