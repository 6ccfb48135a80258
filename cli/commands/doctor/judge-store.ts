import type { DatabaseFacts } from "../../../server/store/sqlite/inspect-database.ts";
import { bad, type Check, ok, warn } from "./check.ts";
import { formatBytes } from "../../../server/domain/format.ts";

const longLogBytes = 256 * 1024 * 1024;
const largeBytes = 1_000_000_000;

/** Of the file itself. */
export function judgeStore(facts: DatabaseFacts, p: { file: string; hasRetention: boolean }): Check[] {
  const { damage, pendingMigrations, journalMode, fileBytes, logBytes, freeBytes } = facts;
  const store = damage
    ? bad(
        "store",
        `${p.file} is damaged: ${damage}`,
        "Keep a copy of it with its -wal, then `signalbox restore` a backup.",
      )
    : ok("store", `${p.file} opens, and its pages are whole (${formatBytes(fileBytes)})`);
  const schema =
    pendingMigrations > 0
      ? warn(
          "schema",
          `${pendingMigrations} migrations are to be made`,
          "The next start makes them. Have a backup first: `signalbox backup <file>`.",
        )
      : ok("schema", "up to date");
  const log =
    logBytes > longLogBytes
      ? warn(
          "log",
          `the write-ahead log has ${formatBytes(logBytes)}`,
          "Somebody reads for long (a backup, another program): it is cut when that has ended.",
        )
      : ok("log", `${journalMode}, ${formatBytes(logBytes)}`);
  return [store, schema, log, judgeRoom(facts), judgeRetention(fileBytes - freeBytes, p.hasRetention)];
}

function judgeRoom({ fileBytes, freeBytes, givesRoomBack }: DatabaseFacts): Check {
  const text = `${formatBytes(freeBytes)} of the file are free`;
  if (givesRoomBack || freeBytes < fileBytes / 4) return ok("room", `${text}, and used again`);
  return warn(
    "room",
    `${text}; it was made by an older version, and keeps them`,
    'Stop the service, then: sqlite3 <file> "PRAGMA auto_vacuum = INCREMENTAL; VACUUM;"',
  );
}

function judgeRetention(usedBytes: number, hasRetention: boolean): Check {
  if (hasRetention) return ok("retention", "old deliveries are removed");
  if (usedBytes < largeBytes) return ok("retention", "everything is kept for ever");
  return warn(
    "retention",
    `everything is kept for ever, ${formatBytes(usedBytes)} by now`,
    "Set retentionDays in signalbox.config.ts, or SIGNALBOX_RETENTION_DAYS.",
  );
}
