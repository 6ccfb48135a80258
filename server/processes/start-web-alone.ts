import { type Settings, serviceUrl } from "../config.ts";
import type { Logger } from "../ports/logger.ts";
import { collectStartUp } from "./collect-start-up.ts";
import { keepHttpProcesses } from "./http-processes/keep-http-processes.ts";
import { createPoolTally } from "./worker-pool/pool-tally.ts";
import type { Reporter } from "./protocol.ts";
import { requireSharedStore } from "./require-shared-store.ts";
import { httpCloseMs, reportReload, type Supervisor } from "./supervisor.ts";

/**
 * Starts the receiver and the web process, and no worker: the workers of other machines find accepted runs in the
 * store, and execute them. Rejects with SettingsError if the store is for one machine only.
 */
export async function startWebAlone(p: {
  settings: Settings;
  env?: NodeJS.ProcessEnv;
  reporter: Reporter;
  logger: Logger;
}): Promise<Omit<Supervisor, "reload" | "reportBuild" | "takeDelivery">> {
  const { settings, env, reporter, logger } = p;
  requireSharedStore(settings, "`signalbox start --role web`");
  const noWorkers = createPoolTally();
  const http = await keepHttpProcesses({
    settings,
    env,
    reporter,
    logger,
    workers: null,
    readNumbers: () => noWorkers.read([]),
    onBuildChanged: () => reloadAndReport(),
  });
  const reloadAndReport = () => reportReload(http.reload().both, reporter);
  collectStartUp();
  let closing: Promise<void> | null = null;
  return {
    url: serviceUrl(settings, http.port),
    port: http.port,
    reloadAndReport,
    close: () => (closing ??= http.close(httpCloseMs)),
  };
}
