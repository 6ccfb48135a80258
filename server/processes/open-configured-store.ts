import { type Settings, SettingsError } from "../config.ts";
import type { Logger } from "../ports/logger.ts";
import type { Store } from "../ports/store.ts";
import { openSqliteStore } from "../store/sqlite/open-store.ts";

/** The store that the settings name. */
export async function openConfiguredStore({ database }: Settings, logger: Logger): Promise<Store> {
  if (database.kind === "sqlite") return await openSqliteStore({ file: database.file, logger });
  throw new SettingsError("DATABASE_URL names a Postgres, and this version stores in SQLite only. Give a file: URL, e.g. file:./.signalbox/signalbox.db.");
}
