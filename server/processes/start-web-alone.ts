import { type Settings, serviceUrl } from "../config.ts";
import type { Logger } from "../ports/logger.ts";
import { mapCurrentStack } from "../project/map-stack.ts";
import { collectStartUp } from "./collect-start-up.ts";
import { createPoolTally } from "./pool-tally.ts";
import type { Reporter } from "./protocol.ts";
import { requireSharedStore } from "./require-shared-store.ts";
import { webCloseMs, type Supervisor } from "./supervisor.ts";
import { keepWeb } from "./web-keeper.ts";

/**
 * Starts a web process and no worker: it receives and shows, and workers on other machines run what it accepts. They
 * hear of it by the store. Rejects with SettingsError where the store is for one machine only.
 */
export async function startWebAlone(p: {
  settings: Settings;
  env?: NodeJS.ProcessEnv;
  reporter: Reporter;
  logger: Logger;
}): Promise<Omit<Supervisor, "reload" | "reportBuild">> {
  const { settings, env, reporter, logger } = p;
  requireSharedStore(settings, "`signalbox start --role web`");
  const noWorkers = createPoolTally();
  const web = await keepWeb({
    settings,
    env,
    reporter,
    logger,
    onMessage(message) {
      if (message.type === "read-numbers")
        web.send({ type: "numbers", numbers: { ...noWorkers.read([]), webRestarts: web.restarts() } });
    },
    mapStack: (stack) => mapCurrentStack(settings.stateDir, stack),
  });
  collectStartUp();
  let closing: Promise<void> | null = null;
  return { url: serviceUrl(settings, web.port), port: web.port, close: () => (closing ??= web.close(webCloseMs)) };
}
