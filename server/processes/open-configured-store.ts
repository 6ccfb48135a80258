import type { Settings } from "../config.ts";
import type { Logger } from "../ports/logger.ts";
import type { Store } from "../ports/store.ts";
import { openSqliteStore } from "../store/sqlite/open-store.ts";

/** The store that the settings name. */
export async function openConfiguredStore({ database }: Settings, logger: Logger): Promise<Store> {
  if (database.kind === "sqlite") return await openSqliteStore({ file: database.file, logger });
  // Whoever keeps to SQLite neither loads it nor pays for it.
  const { openPostgresStore } = await import("../store/postgres/open-store.ts");
  return await openPostgresStore({ url: database.url, logger });
}
