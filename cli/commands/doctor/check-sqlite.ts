import { formatBytes, formatCount, formatUtc } from "../../../server/shared/format.ts";
import type { DatabaseFacts } from "../../../server/store/sqlite/file/inspect-database.ts";
import { bad, type Check, checkRetention, ok, warn } from "./check.ts";

const longLogBytes = 256 * 1024 * 1024;

/** Checks of the SQLite file. */
export function checkSqlite(
  facts: DatabaseFacts,
  settings: { file: string; hasRetention: boolean; maxBytes: number | null },
): Check[] {
  const { damage, listDamage, pendingMigrations, fileBytes, freeBytes } = facts;
  const store = damage
    ? bad(
        "store",
        `${settings.file} is damaged: ${damage}`,
        "Keep a copy of it with its -wal, then restore a backup with `signalbox restore`.",
      )
    : ok("store", `${settings.file} opens, and its pages are intact (${formatBytes(fileBytes)})`);
  const schema =
    pendingMigrations > 0
      ? warn(
          "schema",
          formatCount(pendingMigrations, "pending migration"),
          "The next start applies them. Create a backup first: `signalbox backup <file>`.",
        )
      : ok("schema", "up to date");
  const lists = listDamage
    ? bad("lists", `lists can miss rows: ${listDamage}`, "Rebuild the list index with `signalbox store reindex`.")
    : ok("lists", "the list index matches the rows");
  return [
    store,
    schema,
    lists,
    checkLog(facts),
    checkFreeSpace(facts),
    checkRetention(fileBytes - freeBytes, settings),
  ];
}

function checkLog({ journalMode, logBytes, lostLogSince }: DatabaseFacts): Check {
  if (lostLogSince !== null)
    return bad(
      "log",
      `the write-ahead log (-wal) was removed after the service had been killed (noticed at ${formatUtc(lostLogSince)}): the last deliveries and runs may be lost`,
      "Put the log back before you start the service, or restore a backup. If another program, such as sqlite3, opened the store after the kill, nothing is lost. The next clean stop ends this message.",
    );
  if (logBytes > longLogBytes)
    return warn(
      "log",
      `the write-ahead log has grown to ${formatBytes(logBytes)}`,
      "A long read (a backup, another program) blocks its truncation. It shrinks when the read ends.",
    );
  return ok("log", `${journalMode}, ${formatBytes(logBytes)}`);
}

function checkFreeSpace({ fileBytes, freeBytes, canShrink }: DatabaseFacts): Check {
  const text = `${formatBytes(freeBytes)} of the file are unused`;
  if (canShrink || freeBytes < fileBytes / 4) return ok("free space", `${text} and will be reused`);
  return warn(
    "free space",
    `${text}; an older version created the file, so it does not shrink`,
    'Stop the service, then: sqlite3 <file> "PRAGMA auto_vacuum = INCREMENTAL; VACUUM;"',
  );
}
