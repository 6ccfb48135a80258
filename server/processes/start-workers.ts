import type { Settings } from "../config.ts";
import type { Logger } from "../ports/logger.ts";
import { collectStartUp } from "./collect-start-up.ts";
import { openHealthDoor } from "./health-door.ts";
import { openWorkerPool } from "./open-worker-pool.ts";
import type { Reporter } from "./protocol.ts";
import { requireSharedStore } from "./require-shared-store.ts";
import { runGraceMs } from "./supervisor.ts";

export interface Workers {
  /** Of the health checks; `null`: nothing listens. */
  healthPort: number | null;
  /** Takes no more runs, lets those that run end or hands them back, and ends all processes. */
  close(): Promise<void>;
}

/**
 * Starts workers and no web process: they run what is accepted on other machines. Rejects with SettingsError where the
 * store is for one machine only, and with why where the health port cannot be had.
 */
export async function startWorkers(p: {
  settings: Settings;
  env?: NodeJS.ProcessEnv;
  reporter: Reporter;
  logger: Logger;
  healthPort: number | null;
}): Promise<Workers> {
  const { settings, healthPort } = p;
  requireSharedStore(settings, "`signalbox worker`");
  const { pool, store } = await openWorkerPool(p);
  let isClosing = false;

  async function reasonsNotToBeReady(): Promise<string[]> {
    if (isClosing) return ["The workers are shutting down."];
    if (pool.numbers().workers.ready.shared === 0) return ["No worker of this machine accepts runs."];
    return store.ping().then(
      () => [],
      (error: unknown) => [`Cannot write to the store. ${error instanceof Error ? error.message : ""}`.trim()],
    );
  }

  async function close(): Promise<void> {
    isClosing = true;
    await pool.close(runGraceMs);
    await door?.close();
    await store.close();
  }

  const door =
    healthPort === null
      ? null
      : await openHealthDoor({ host: settings.host, port: healthPort, reasonsNotToBeReady }).catch(
          async (error: unknown) => {
            await store.close();
            throw error;
          },
        );
  await pool.start().catch(async (error: unknown) => {
    await close();
    throw error;
  });
  collectStartUp();
  let closing: Promise<void> | null = null;
  return { healthPort: door?.port ?? null, close: () => (closing ??= close()) };
}
