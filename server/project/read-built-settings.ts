import { readSettings, type Settings, stateDirOf } from "../config.ts";
import { SettingsError } from "../config/environment.ts";
import { readManifest } from "./read-manifest.ts";

/**
 * The settings of a project as it was built; the environment and the flags take precedence. Throws SettingsError
 * without a build.
 */
export async function readBuiltSettings(p: Omit<Parameters<typeof readSettings>[0], "fromProject">): Promise<Settings> {
  const manifest = await readManifest(stateDirOf(p.projectDir));
  if (!manifest)
    throw new SettingsError(
      `There is no build of ${p.projectDir} yet. Run \`signalbox build\` there, or \`signalbox dev\`.`,
    );
  return readSettings({ ...p, fromProject: manifest.settings });
}
