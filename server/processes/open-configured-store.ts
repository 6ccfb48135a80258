import { deriveSecretFingerprint } from "../auth/keys/service-secret.ts";
import { readSecret, type Settings } from "../config.ts";
import { setClockAhead } from "../ports/clock.ts";
import type { Logger } from "../ports/logger.ts";
import type { Store } from "../ports/store.ts";
import { openSqliteStore } from "../store/sqlite/open-store.ts";

/**
 * Opens the store that the settings name. All machines of a shared store must have the same secret, and use the store's
 * clock. `isReplacingSecret`: the secret of this machine replaces the one in the store.
 */
export async function openConfiguredStore(
  { database, stateDir }: Settings,
  logger: Logger,
  { isReplacingSecret = false } = {},
): Promise<Store> {
  if (database.kind === "sqlite") return await openSqliteStore({ file: database.file, logger });
  // Imported here, so that the driver of Postgres is not loaded with SQLite.
  const { openPostgresStore } = await import("../store/postgres/open-store.ts");
  const secret = { fingerprint: deriveSecretFingerprint(readSecret(stateDir)), isReplacing: isReplacingSecret };
  const { url, directUrl } = database;
  return await openPostgresStore({ url, ...(directUrl && { directUrl }), logger, secret, onClock: setClockAhead });
}
