import { type Settings, SettingsError } from "../config.ts";

/** Throws SettingsError where the store is for one machine only: `what` is for several. */
export function requireSharedStore({ database }: Pick<Settings, "database">, what: string): void {
  if (database.kind === "postgres") return;
  throw new SettingsError(
    `${what} is for several machines on one store, and this store is a file (${database.file}). Set DATABASE_URL=postgres://user:password@host/database, the same for all of them; on one machine \`signalbox start\` alone receives and runs (SIGNALBOX_WORKERS says with how many processes).`,
  );
}
