import { type Settings, serviceUrl } from "../config.ts";
import type { FailedBuild } from "../contract/project/failed-build.ts";
import type { Logger } from "../ports/logger.ts";
import { collectStartUp } from "./collect-start-up.ts";
import { keepHttpProcesses } from "./http-processes/keep-http-processes.ts";
import { systemClock } from "../ports/clock.ts";
import { mapCurrentStack } from "../project/map-stack.ts";
import { createHostLink } from "./host-link.ts";
import { createLocalSockets } from "./local-sockets.ts";
import type { Reporter } from "./protocol.ts";
import { createWorkerPool } from "./worker-pool.ts";

export interface Supervisor {
  /** Where the service is reached. */
  url: string;
  port: number;
  /**
   * `.signalbox/manifest.json` changed: the workers, the receiver and web take the new build. Rejects if the receiver
   * or web cannot; it then still serves the old one.
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

export const httpCloseMs = 5_500;
export const runGraceMs = 1_000;

/** A close takes ten seconds at most; this is a moment less. */
const closeMs = 9_700;
const minCloseMs = 300;

/**
 * Starts the service: the receiver, the web process and the workers. Rejects if the receiver or web cannot start, e.g.
 * because the port is in use. This process has no store and executes no code of the project: it starts the others, and
 * starts them again.
 */
export async function startSupervisor(p: {
  settings: Settings;
  env?: NodeJS.ProcessEnv;
  reporter: Reporter;
  logger: Logger;
}): Promise<Supervisor> {
  const { settings, env, reporter, logger } = p;
  const sockets = await createLocalSockets();
  const link = createHostLink();
  const pool = createWorkerPool({
    settings,
    ...(env ? { env } : {}),
    host: link,
    runs: sockets.runs,
    mapStack: (stack) => mapCurrentStack(settings.stateDir, stack),
    reporter,
    logger,
    clock: systemClock,
  });

  const starting = pool.start();
  // Awaited when the receiver and web are ready: until then its failure must not end this process.
  starting.catch(() => {});
  const http = await keepHttpProcesses({
    settings,
    env,
    reporter,
    logger,
    workers: { link, sockets },
    readNumbers: pool.numbers,
  }).catch(async (error: unknown) => {
    link.close();
    await pool.close(0);
    await sockets.remove();
    throw error;
  });
  await starting.catch(async (error: unknown) => {
    await close();
    throw error;
  });

  collectStartUp();

  let closing: Promise<void> | null = null;
  async function close(): Promise<void> {
    const endAt = performance.now() + closeMs;
    await http.stopReceiving(httpCloseMs);
    // The receiver writes what workers hand back.
    await pool.close(runGraceMs);
    link.close();
    await http.close(Math.max(minCloseMs, endAt - performance.now()));
    await sockets.remove();
  }

  return {
    url: serviceUrl(settings, http.port),
    port: http.port,
    async reload() {
      const served = Promise.withResolvers<boolean>();
      const replacing = pool.replaceAll(served.promise);
      // When the receiver takes the new triggers, no old worker may be given a run of theirs.
      await replacing.held;
      const { receiver, both } = http.reload();
      receiver.then(
        () => served.resolve(true),
        () => served.resolve(false),
      );
      const [reloaded] = await Promise.allSettled([both, replacing.done]);
      if (reloaded.status === "rejected") throw reloaded.reason;
    },
    reportBuild: http.reportBuild,
    close: () => (closing ??= close()),
  };
}
