import { deriveSecretFingerprint } from "../auth/keys/service-secret.ts";
import { readSecret, type Settings } from "../config.ts";
import { SettingsError } from "../config/environment.ts";
import { setClockAhead, systemClock } from "../ports/clock.ts";
import type { Logger } from "../ports/logger.ts";
import type { Store } from "../ports/store.ts";
import { createProjectReader, requireSecrets } from "../project/project-reader.ts";
import { ProjectError } from "../project/read-manifest.ts";
import { rememberStore, requireKnownStore } from "./known-store.ts";
import { openEncryptedStore } from "../store/encrypted/open-encrypted-store.ts";
import { reportOutages } from "../store/shared/report-outages.ts";
import { openSqliteStore } from "../store/sqlite/open-store.ts";

/**
 * Opens the store that the settings name. All machines of a shared store must have the same secret, and use the store's
 * clock. `isReplacingSecret`: the secret of this machine replaces the one in the store. Rejects with SettingsError if
 * content is to be encrypted without a key, and with AppError `store_unusable` if the store of a deployed project is
 * gone.
 */
export async function openConfiguredStore(
  settings: Settings,
  logger: Logger,
  options: { isReplacingSecret?: boolean } = {},
): Promise<Store> {
  const { keys, isOn } = settings.encryption;
  if (isOn && keys.length === 0) throw new SettingsError(missingKeyMessage);
  const store = reportOutages(await openDatabase(settings, logger, options), logger);
  return openEncryptedStore({ store, keys, isOn, clock: systemClock });
}

const missingKeyMessage =
  "encryption is on, but there is no key. Set SIGNALBOX_ENCRYPTION_KEYS, or SIGNALBOX_ENCRYPTION_KEYS_FILE. Create a key with: openssl rand -base64 32";

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

async function openDatabase(
  { database, stateDir, mode }: Settings,
  logger: Logger,
  { isReplacingSecret = false }: { isReplacingSecret?: boolean },
): Promise<Store> {
  if (database.kind === "sqlite") {
    if (mode === "development") return await openSqliteStore({ file: database.file, logger });
    await requireKnownStore(database.file, stateDir);
    const store = await openSqliteStore({ file: database.file, logger });
    rememberStore(database.file, { stateDir, logger });
    return store;
  }
  // Imported here, so that the driver of Postgres is not loaded with SQLite.
  const { openPostgresStore } = await import("../store/postgres/open-store.ts");
  const secret = { fingerprint: deriveSecretFingerprint(readSecret(stateDir)), isReplacing: isReplacingSecret };
  const { url, directUrl } = database;
  return await openPostgresStore({ url, ...(directUrl && { directUrl }), logger, secret, onClock: setClockAhead });
}
