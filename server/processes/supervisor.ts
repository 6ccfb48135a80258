import { type Settings, serviceUrl } from "../config.ts";
import type { FailedBuild } from "../contract/project/failed-build.ts";
import type { Logger } from "../ports/logger.ts";
import { collectStartUp } from "./collect-start-up.ts";
import { keepHttpProcesses } from "./http-processes/keep-http-processes.ts";
import { systemClock } from "../ports/clock.ts";
import { mapBuiltStack } from "../project/map-stack.ts";
import { createHostLink, type TakeDelivery } from "./receiver/host-link.ts";
import { createLocalSockets } from "./local-sockets.ts";
import type { Reporter } from "./protocol.ts";
import { createWorkerPool } from "./worker-pool/worker-pool.ts";

export interface Supervisor {
  /** The URL of the service. */
  url: string;
  port: number;
  /**
   * Loads the build of a changed `.signalbox/manifest.json` in the workers, the receiver and web. Rejects if the
   * receiver or web cannot load it. That process then still serves the old build.
   */
  reload(): Promise<void>;
  /** The same, for another process that made a build current: reports the result to the user. */
  reloadAndReport(): void;
  /** Reports whether the newest build failed: pages show it. */
  reportBuild(failed: FailedBuild | null): void;
  /** Records a delivery of the feed of another service. `null`: this service is stopping. */
  takeDelivery: TakeDelivery;
  /**
   * Accepts no more webhooks, waits up to `drainMs` for the steps in flight, returns the runs to the queue, and ends
   * all child processes. Takes at most ten seconds longer than `drainMs`. Later calls wait for the first.
   */
  close(): Promise<void>;
}

export const httpCloseMs = 5_500;

/** The time that a close may take in addition to `drainMs`. */
const closeMs = 8_700;
const minCloseMs = 300;

/**
 * Starts the service: the receiver, the web process and the workers. Rejects if the receiver or web cannot start, e.g.
 * because the port is in use. This process has no store and executes no code of the project: it starts the other
 * processes, and restarts them.
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
    mapStack: (stack) => mapBuiltStack(settings.stateDir, stack),
    reporter,
    logger,
    clock: systemClock,
  });

  const starting = pool.start();
  // The promise is awaited when the receiver and web are ready. Until then, a rejection must not end this process.
  starting.catch(() => {});
  const http = await keepHttpProcesses({
    settings,
    env,
    reporter,
    logger,
    workers: { link, sockets },
    readNumbers: pool.numbers,
    onBuildChanged: () => reloadAndReport(),
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
    const endAt = performance.now() + settings.drainMs + closeMs;
    // The receiver must still run: it writes the results of steps, and the runs that workers return to the queue.
    await Promise.all([http.stopReceiving(httpCloseMs), pool.close(settings.drainMs)]);
    link.close();
    await http.close(Math.max(minCloseMs, endAt - performance.now()));
    await sockets.remove();
  }

  async function reload(): Promise<void> {
    const served = Promise.withResolvers<boolean>();
    const replacing = pool.replaceAll(served.promise);
    // Once the receiver has the new triggers, no old worker may be assigned a run of them.
    await replacing.held;
    const { receiver, both } = http.reload();
    receiver.then(
      () => served.resolve(true),
      () => served.resolve(false),
    );
    const [reloaded] = await Promise.allSettled([both, replacing.done]);
    if (reloaded.status === "rejected") throw reloaded.reason;
  }

  const reloadAndReport = () => reportReload(reload(), reporter);

  return {
    url: serviceUrl(settings, http.port),
    port: http.port,
    reload,
    reloadAndReport,
    reportBuild: http.reportBuild,
    takeDelivery: link.takeDelivery,
    close: () => (closing ??= close()),
  };
}

/** Reports the result of a reload that no process waits for. */
export function reportReload(reloading: Promise<unknown>, { notice }: Pick<Reporter, "notice">): void {
  reloading.then(
    () => notice("info", "The service has loaded the current build."),
    (error: unknown) =>
      notice("error", `The current build cannot be loaded: ${error instanceof Error ? error.message : String(error)}`),
  );
}
