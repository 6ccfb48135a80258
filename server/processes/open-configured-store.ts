import { deriveSecretFingerprint } from "../auth/keys/service-secret.ts";
import { readSecret, type Settings } from "../config.ts";
import { setClockAhead } from "../ports/clock.ts";
import type { Logger } from "../ports/logger.ts";
import type { Store } from "../ports/store.ts";
import { openSqliteStore } from "../store/sqlite/open-store.ts";

/**
 * The store that the settings name. On one that machines share, all must have one secret, and go by its clock;
 * `isReplacingSecret`: that of this machine shall be it. `hasSecret`: false in workers, which are not given the secret.
 * Their supervisor has compared it.
 */
export async function openConfiguredStore(
  { database, stateDir }: Settings,
  logger: Logger,
  { isReplacingSecret = false, hasSecret = true } = {},
): Promise<Store> {
  if (database.kind === "sqlite") return await openSqliteStore({ file: database.file, logger });
  // Whoever keeps to SQLite neither loads it nor pays for it.
  const { openPostgresStore } = await import("../store/postgres/open-store.ts");
  const secret = hasSecret
    ? { fingerprint: deriveSecretFingerprint(readSecret(stateDir)), isReplacing: isReplacingSecret }
    : undefined;
  return await openPostgresStore({ url: database.url, logger, ...(secret && { secret }), onClock: setClockAhead });
}
