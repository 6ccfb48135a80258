import { readFileSync } from "node:fs";
import { join } from "node:path";
import { z } from "zod";
import { AppError } from "../../../contract/app-error.ts";
import type { Clock } from "../../../ports/clock.ts";
import type { Logger } from "../../../ports/logger.ts";
import { countApplied, readJournal } from "../../shared/migration-journal.ts";
import type { Connection } from "./open-connection.ts";

/**
 * Migrates the database to this code's schema, by the migrations of drizzle-kit and their journal. All pending ones are
 * one transaction under the write lock. So several processes can start at the same time, and a kill leaves either the
 * old schema or the new one. Returns the migrations that this call applied. (Drizzle's own migrator reads the applied
 * migrations before it takes the lock, and does not recognize newer databases.)
 */
export function migrate(
  connection: Connection,
  { folder, clock, logger }: { folder: string; clock: Clock; logger: Logger },
): string[] {
  const known = readJournal(folder);
  const applied = assertPrefix(connection, readApplied(connection), known);
  if (applied === known.length) return [];
  const began = clock.now();
  if (applied > 0)
    logger.info("migrating the store, webhooks wait; a large store takes some minutes", {
      file: connection.name,
      pending: known.slice(applied),
    });
  // Rebuilding a table would cascade. SQLite accepts this pragma only outside of transactions.
  connection.pragma("foreign_keys = OFF");
  try {
    const done = connection
      .transaction(() => applyPending(connection, { folder, known, now: clock.now() }))
      .immediate();
    if (applied > 0) logger.info("store migrated", { seconds: Math.round((clock.now() - began) / 1000) });
    return done;
  } finally {
    connection.pragma("foreign_keys = ON");
  }
}

/** The number of migrations that a database has. Throws AppError if it is not a store, or has a newer version. */
export function readSchemaVersion(connection: Connection, folder: string): { applied: number; known: number } {
  const applied = readApplied(connection);
  if (applied.length === 0)
    throw new AppError("store_unusable", `${connection.name} is a database, but not a Signalbox store.`, {
      fix: "Name the file of a Signalbox store.",
    });
  const known = readJournal(folder);
  return { applied: assertPrefix(connection, applied, known), known: known.length };
}

function applyPending(connection: Connection, p: { folder: string; known: string[]; now: number }): string[] {
  const { folder, known, now } = p;
  connection.exec(
    "CREATE TABLE IF NOT EXISTS schema_migration (position INTEGER PRIMARY KEY, tag TEXT NOT NULL, applied_at INTEGER NOT NULL)",
  );
  const first = assertPrefix(connection, readApplied(connection), known);
  const note = connection.prepare("INSERT INTO schema_migration (position, tag, applied_at) VALUES (?, ?, ?)");
  for (const [position, tag] of known.entries()) {
    if (position < first) continue;
    connection.exec(readFileSync(join(folder, `${tag}.sql`), "utf8"));
    note.run(position, tag, now);
  }
  const broken = connection.pragma("foreign_key_check");
  if (Array.isArray(broken) && broken.length > 0)
    throw new Error(`The migrations leave ${broken.length} broken references: ${JSON.stringify(broken[0])}`);
  return known.slice(first);
}

function readApplied(connection: Connection): string[] {
  const exists = connection
    .prepare("SELECT 1 FROM sqlite_master WHERE type = 'table' AND name = 'schema_migration'")
    .get();
  if (exists === undefined) return [];
  return z
    .array(z.string())
    .parse(connection.prepare("SELECT tag FROM schema_migration ORDER BY position").pluck().all());
}

function assertPrefix(connection: Connection, applied: string[], known: string[]): number {
  return countApplied(applied, { known, name: connection.name });
}
