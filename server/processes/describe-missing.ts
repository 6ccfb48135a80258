import type { Settings } from "../config.ts";
import { SettingsError } from "../config/environment.ts";
import { createProjectReader, requireSecrets } from "../project/project-reader.ts";
import { ProjectError } from "../project/read-manifest.ts";
import { missingKeyMessage } from "../composition/open-configured-store.ts";

/** The error of a service whose key of encryption is missing. It also names the missing secrets of senders. */
export async function describeMissingKey({ stateDir }: Pick<Settings, "stateDir">): Promise<SettingsError> {
  const project = await createProjectReader(stateDir);
  try {
    requireSecrets(project.current());
    return new SettingsError(missingKeyMessage);
  } catch (error) {
    if (!(error instanceof ProjectError)) throw error;
    return new SettingsError(`${missingKeyMessage}\n${error.message}`);
  }
}
