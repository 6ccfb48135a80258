import { startAlerts } from "../../alerts/start-alerts.ts";
import type { Settings } from "../../config.ts";
import { systemClock } from "../../ports/clock.ts";
import type { Logger } from "../../ports/logger.ts";
import { readManifest } from "../../project/read-manifest.ts";
import { machineName } from "../machine-name.ts";

/** Evaluates and sends alerts, if the settings have any. */
export function startStoreAlerts(p: {
  settings: Settings;
  store: Parameters<typeof startAlerts>[0]["store"];
  baseUrl: () => string;
  logger: Logger;
}): { close(): Promise<void> } {
  const { settings, ...rest } = p;
  if (!settings.alerts) return { close: async () => {} };
  return startAlerts({
    ...rest,
    settings: settings.alerts,
    readManifest: () => readManifest(settings.stateDir),
    machine: machineName(settings),
    clock: systemClock,
  });
}
