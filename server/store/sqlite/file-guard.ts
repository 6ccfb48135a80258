import { statSync } from "node:fs";
import { AppError } from "../../contract/app-error.ts";

const detail =
  "The database file was removed or replaced while it was in use: writes would be lost. Put it back, or restart the service.";

/**
 * A file that is removed while it is open takes writes as before, into nothing: the next start would find none of them.
 * Throws AppError `store_unavailable` once the database or its write-ahead log is no longer the file that was opened.
 */
export function createFileGuard(file: string): () => void {
  const identities = new Map<string, string>();
  const check = () => {
    for (const path of [file, `${file}-wal`]) {
      const now = identify(path);
      const opened = identities.get(path);
      // SQLite makes the log when it first needs it.
      if (opened === undefined && now !== null) identities.set(path, now);
      if (opened === undefined || opened === now) continue;
      // Senders see the detail; where the file lies is for the log.
      throw new AppError("store_unavailable", detail, { cause: new Error(`${path} is not the file that was opened`) });
    }
  };
  check();
  return check;
}

function identify(path: string): string | null {
  const stats = statSync(path, { bigint: true, throwIfNoEntry: false });
  return stats ? `${stats.dev}:${stats.ino}` : null;
}
