import { formatBytes, formatCount } from "../../../server/domain/format.ts";
import type { DatabaseFacts } from "../../../server/store/sqlite/file/inspect-database.ts";
import { bad, type Check, checkRetention, ok, warn } from "./check.ts";

const longLogBytes = 256 * 1024 * 1024;

/** Checks of the SQLite file. */
export function checkSqlite(facts: DatabaseFacts, p: { file: string; hasRetention: boolean }): Check[] {
  const { damage, listDamage, pendingMigrations, journalMode, fileBytes, logBytes, freeBytes } = facts;
  const store = damage
    ? bad(
        "store",
        `${p.file} is damaged: ${damage}`,
        "Keep a copy of it with its -wal, then restore a backup with `signalbox restore`.",
      )
    : ok("store", `${p.file} opens, and its pages are intact (${formatBytes(fileBytes)})`);
  const schema =
    pendingMigrations > 0
      ? warn(
          "schema",
          formatCount(pendingMigrations, "pending migration"),
          "The next start applies them. Create a backup first: `signalbox backup <file>`.",
        )
      : ok("schema", "up to date");
  const log =
    logBytes > longLogBytes
      ? warn(
          "log",
          `the write-ahead log has grown to ${formatBytes(logBytes)}`,
          "A long read (a backup, another program) blocks its truncation. It shrinks when the read ends.",
        )
      : ok("log", `${journalMode}, ${formatBytes(logBytes)}`);
  const lists = listDamage
    ? bad("lists", `lists can miss rows: ${listDamage}`, "Rebuild the list index with `signalbox store reindex`.")
    : ok("lists", "the list index matches the rows");
  return [store, schema, lists, log, checkFreeSpace(facts), checkRetention(fileBytes - freeBytes, p.hasRetention)];
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
