import type { Settings } from "../../config.ts";
import { systemClock } from "../../ports/clock.ts";
import type { Logger } from "../../ports/logger.ts";
import type { ProjectReader } from "../../ports/project.ts";
import type { Store } from "../../ports/store.ts";
import { mapBuiltStack } from "../../project/map-stack.ts";
import type { RunHost } from "../../run-channel/host/run-host.ts";
import { createLocalSockets } from "../local-sockets.ts";
import { openConfiguredStore } from "../../composition/open-configured-store.ts";
import { openRunHost } from "../receiver/open-run-host.ts";
import type { Reporter } from "../protocol.ts";
import { createWorkerPool, type WorkerPool } from "./worker-pool.ts";

/**
 * Opens the worker pool of a project without a receiver: this process has the store from which its workers get their
 * runs. The pool is not started yet. The caller closes the pool, then the store.
 */
export async function openWorkerPool(p: {
  settings: Settings;
  /** Evaluates the deliveries that were received before a run waited for them. */
  project: ProjectReader;
  env?: NodeJS.ProcessEnv | undefined;
  reporter: Reporter;
  logger: Logger;
}): Promise<{ pool: WorkerPool; host: Pick<RunHost, "wake" | "cancel">; store: Store }> {
  const { settings, project, env, reporter, logger } = p;
  const store = await openConfiguredStore(settings, logger);
  const sockets = await createLocalSockets();
  const { host, close: closeHost } = await openRunHost({
    settings,
    store,
    project,
    reporter,
    logger,
    address: sockets.runs,
  }).catch(async (error: unknown) => {
    await sockets.remove();
    await store.close();
    throw error;
  });
  const pool = createWorkerPool({
    settings,
    ...(env ? { env } : {}),
    host,
    runs: sockets.runs,
    mapStack: (stack) => mapBuiltStack(settings.stateDir, stack),
    reporter,
    logger,
    clock: systemClock,
  });
  const close = async () => {
    await closeHost();
    await sockets.remove();
    await store.close();
  };
  return { pool, host, store: { ...store, close } };
}
