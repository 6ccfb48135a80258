import { readLogLevel, type Settings, type SettingsFlags } from "../../server/config.ts";
import type { Manifest } from "../../server/contract/manifest.ts";
import type { Logger } from "../../server/ports/logger.ts";
import type { CommandContext } from "./command-context.ts";
import { createDeployedEvents } from "./deployed-events.ts";
import { createJsonEvents } from "./json-events.ts";
import type { ServiceEvents } from "./service-events.ts";

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
