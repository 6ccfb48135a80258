import { type Settings } from "../../../server/config.ts";
import { findRunningServer, readClientSettings, type RunningServer } from "../../api/running-server.ts";
import { Failure } from "../../terminal/failure.ts";

/**
 * The SQLite file of the project on this machine, and its running service. Throws a Failure if SIGNALBOX_URL is set or
 * the store is not SQLite.
 */
export async function findOwnStore(
  projectDir: string,
  what: string,
): Promise<{ file: string; settings: Settings; running: RunningServer | null }> {
  const { settings, running } = await findOwnSettings(projectDir, what);
  if (settings.database.kind !== "sqlite")
    throw new Failure(`\`signalbox ${what}\` works only with SQLite.`, {
      code: "not_sqlite",
      fix: "Use pg_dump and pg_restore for Postgres.",
    });
  return { file: settings.database.file, settings, running };
}

/** The settings of the project on this machine, and its running service. Throws a Failure if SIGNALBOX_URL is set. */
export async function findOwnSettings(
  projectDir: string,
  what: string,
): Promise<{ settings: Settings; running: RunningServer | null }> {
  const remote = readClientSettings();
  if (remote)
    throw new Failure(`\`signalbox ${what}\` needs the store on this machine, but SIGNALBOX_URL is ${remote.url}.`, {
      code: "not_local",
      fix: "Run it on the machine of the service, without SIGNALBOX_URL.",
    });
  const { readBuiltSettings } = await import("../../../server/project/read-built-settings.ts");
  const running = findRunningServer(projectDir);
  return { settings: await readBuiltSettings({ projectDir, mode: running?.mode ?? "deployed" }), running };
}
