import { type Settings, serviceUrl } from "../config.ts";
import type { FailedBuild } from "../contract/project/failed-build.ts";
import type { Logger } from "../ports/logger.ts";
import { mapCurrentStack } from "../project/map-stack.ts";
import { collectStartUp } from "./collect-start-up.ts";
import { openWorkerPool } from "./open-worker-pool.ts";
import type { Reporter, WebToSupervisor } from "./protocol.ts";
import { type WebKeeper, keepWeb } from "./web-keeper.ts";

export interface Supervisor {
  /** Where the service is reached. */
  url: string;
  port: number;
  /**
   * `.signalbox/manifest.json` changed: workers and web take the new build. Rejects when web cannot; the old one is
   * then still served.
   */
  reload(): Promise<void>;
  /** Whether the newest build failed: pages show it. */
  reportBuild(failed: FailedBuild | null): void;
  /**
   * Stops taking webhooks, lets runs end or hands them back, and ends all children. Takes ten seconds at most. Calls
   * after the first wait for it.
   */
  close(): Promise<void>;
}

export const webCloseMs = 5_500;
export const runGraceMs = 1_000;

/**
 * Starts the service: one web process and the workers. Rejects when the web process cannot start, e.g. because its port
 * is in use.
 */
export async function startSupervisor(p: {
  settings: Settings;
  env?: NodeJS.ProcessEnv;
  reporter: Reporter;
  logger: Logger;
}): Promise<Supervisor> {
  const { settings, env, reporter, logger } = p;
  const { pool, store } = await openWorkerPool(p);

  let keeper: WebKeeper | null = null;

  function hear(message: WebToSupervisor): void {
    if (message.type === "runs-queued") pool.wake();
    if (message.type === "cancel-requested") pool.cancel(message.runId);
    if (message.type === "read-numbers")
      keeper?.send({ type: "numbers", numbers: { ...pool.numbers(), webRestarts: keeper.restarts() } });
    if (message.type === "delivery") reporter.delivery(message.delivery);
  }

  const starting = pool.start();
  // Looked at when web is there: until then its failure must not end this process.
  starting.catch(() => {});
  const web = await keepWeb({
    settings,
    env,
    reporter,
    logger,
    onMessage: hear,
    mapStack: (stack) => mapCurrentStack(settings.stateDir, stack),
  }).catch(async (error: unknown) => {
    await pool.close(0);
    await store.close();
    throw error;
  });
  keeper = web;
  await starting.catch(async (error: unknown) => {
    await close();
    throw error;
  });

  collectStartUp();

  let closing: Promise<void> | null = null;
  async function close(): Promise<void> {
    await web.close(webCloseMs);
    await pool.close(runGraceMs);
    await store.close();
  }

  return {
    url: serviceUrl(settings, web.port),
    port: web.port,
    async reload() {
      const served = Promise.withResolvers<boolean>();
      const replacing = pool.replaceAll(served.promise);
      // When web takes the new triggers, no old worker may be given a run of theirs.
      await replacing.held;
      const reloading = web.reload();
      reloading.then(
        () => served.resolve(true),
        () => served.resolve(false),
      );
      const [reloaded] = await Promise.allSettled([reloading, replacing.done]);
      if (reloaded.status === "rejected") throw reloaded.reason;
    },
    reportBuild: web.reportBuild,
    close: () => (closing ??= close()),
  };
}
