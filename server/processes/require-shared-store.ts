import { type Settings } from "../config.ts";
import { SettingsError } from "../config/environment.ts";

/** Throws SettingsError if the store is for one machine only. `what`: the command that is for several machines. */
export function requireSharedStore({ database }: Pick<Settings, "database">, what: string): void {
  if (database.kind === "postgres") return;
  throw new SettingsError(
    `${what} needs a store that several machines share, but this store is a file (${database.file}). Set SIGNALBOX_DATABASE_URL=postgres://user:password@host/database on all machines. On one machine, use \`signalbox start\` alone; SIGNALBOX_WORKERS sets the number of its worker processes.`,
  );
}
