import { readLogLevel, type Settings, type SettingsFlags } from "../../server/config.ts";
import type { Manifest } from "../../server/contract/manifest.ts";
import type { RunStatus } from "../../server/contract/run.ts";
import { isFinal } from "../../server/domain/run-state.ts";
import type { Logger } from "../../server/ports/logger.ts";
import { targetLogFields } from "../../server/ports/run-log-fields.ts";
import type { Terminal } from "../terminal/terminal.ts";
import type { CommandContext } from "./command-context.ts";
import { createJsonEvents } from "./json-events.ts";
import type { ServiceEvents } from "./service-events.ts";
import { renderReady } from "./text-events.ts";

/** The last build with its settings, and the log and events of a deployed service. Throws SettingsError without a build. */
export async function readDeployed(
  context: CommandContext,
  flags: SettingsFlags,
): Promise<{ settings: Settings; manifest: Manifest; logger: Logger; events: ServiceEvents }> {
  const [{ readBuiltSettings }, { createLogger }, { readManifest }] = await Promise.all([
    import("../../server/main.ts"),
    import("../../server/logging.ts"),
    import("../../server/project/read-manifest.ts"),
  ]);
  const settings = await readBuiltSettings({ projectDir: context.projectDir, mode: "deployed", flags });
  const manifest = await readManifest(settings.stateDir);
  if (!manifest) throw new Error("The build was removed while it was read.");
  const logger = createLogger({ mode: "deployed", level: readLogLevel("deployed"), process: "supervisor" });
  return {
    settings,
    manifest,
    logger,
    events: context.isJson ? createJsonEvents(context) : createDeployedEvents({ terminal: context.terminal, logger }),
  };
}

/** `signalbox start` prints its URL on stdout. All other events are log lines. */
export function createDeployedEvents({ terminal, logger }: { terminal: Terminal; logger: Logger }): ServiceEvents {
  return {
    ready({ url, localUrl, manifest }) {
      terminal.out.write(renderReady({ url, localUrl, manifest, paint: terminal.out.paint, isDevelopment: false }));
      logger.info("ready", { url, version: manifest.version });
    },
    working({ manifest, healthPort }) {
      const { name, version } = manifest;
      terminal.out.write(
        `\n${terminal.out.paint("strong", name)} ${terminal.out.paint("dim", version)} executes runs${healthPort === null ? "" : `; health checks on port ${healthPort}`}\n\n`,
      );
      logger.info("working", { version, healthPort });
    },
    runEnded({ runId, deliveryId, target, trigger, attempt, status, durationMs, error }) {
      const hasFailed = status === "failed" || status === "timed_out";
      logger[hasFailed ? "warn" : "info"](describeEnd(status), {
        runId,
        deliveryId,
        ...targetLogFields(target),
        trigger,
        attempt,
        status,
        durationMs,
        error,
      });
    },
    delivery() {},
    notice: (level, message) => logger[level](message),
    stopping: () => logger.info("stopping"),
    reloaded: () => {},
    unchanged: () => {},
    buildFailed: () => {},
  };
}

/**
 * Workers report each time that they release a run. It may also sleep, wait for its next attempt or an approval, or
 * return to the queue.
 */
function describeEnd(status: RunStatus): string {
  if (isFinal(status)) return "run ended";
  return status === "waiting" ? "run is waiting" : "run returned to the queue";
}
