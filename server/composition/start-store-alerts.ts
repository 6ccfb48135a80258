import { dirname } from "node:path";
import { startAlerts } from "../alerts/start-alerts.ts";
import type { Settings } from "../config.ts";
import type { DiskFact } from "../domain/alerts/findings.ts";
import { readDisk } from "../ports/disk.ts";
import { systemClock } from "../ports/clock.ts";
import type { Logger } from "../ports/logger.ts";
import { readManifest } from "../project/read-manifest.ts";
import { machineName } from "./machine-name.ts";

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
    readDisks: () => readDisks(settings),
    clock: systemClock,
  });
}

/** The disk of a file. That of a database server is watched there. */
async function readDisks({ database }: Pick<Settings, "database">): Promise<DiskFact[]> {
  if (database.kind !== "sqlite") return [];
  const folder = dirname(database.file);
  try {
    return [{ folder, ...(await readDisk(folder)) }];
  } catch {
    // The store reports a folder that cannot be used.
    return [];
  }
}
