import type { Pool } from "pg";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { AppError } from "../../contract/app-error.ts";
import type { Clock } from "../../ports/clock.ts";
import type { Logger } from "../../ports/logger.ts";
import { countApplied, readJournal } from "../shared/migration-journal.ts";
import type { Session } from "./connection/session.ts";
import { createMissingSchema, rejectForeignTables } from "./own-schema.ts";
import { storeSchema } from "./schema/columns.ts";
import { transact } from "./connection/transact.ts";

/** The advisory lock of a migration. Any number, but the same in every version. */
const lockNumber = 7_245_113_902_417_733n;

/**
 * Migrates the database to the schema of this version, with the migrations in the journal of drizzle-kit. All pending
 * ones are one transaction under an advisory lock. Several processes can start at the same time, and a kill leaves the
 * old schema or the new one. Returns the migrations that this call applied.
 */
export async function migrate(
  pool: Pool,
  p: { folder: string; name: string; clock: Clock; logger: Logger },
): Promise<string[]> {
  const known = readJournal(p.folder);
  const pending = await transact(pool, async (session) => {
    await assertFits(session, p.name);
    return known.length - countApplied(await readApplied(session, p.name), { known, name: p.name });
  });
  if (pending === 0) return [];
  const began = p.clock.now();
  const isNew = pending === known.length;
  if (!isNew)
    p.logger.info("migrating the store, webhooks wait; a large store takes some minutes", {
      database: p.name,
      pending: known.slice(-pending),
    });
  const done = await transact(pool, (session) => applyPending(session, { ...p, known, now: began }));
  if (!isNew) p.logger.info("store migrated", { seconds: Math.round((p.clock.now() - began) / 1000) });
  return done;
}

const oldestServer = 150_000;

/** Throws AppError `store_unusable` if the server is too old, or the encoding of the database is not UTF-8. */
export async function assertFits(session: Session, name: string): Promise<void> {
  const [facts] = await session.rows<{ version: number; encoding: string }>(
    "SELECT current_setting('server_version_num')::int AS version, current_setting('server_encoding') AS encoding",
  );
  if (facts && facts.version < oldestServer)
    throw new AppError(
      "store_unusable",
      `${name} cannot be used as the store: its Postgres is version ${Math.floor(facts.version / 10_000)}, but Signalbox needs 15 or later.`,
      { fix: "Upgrade the server, or set another one in SIGNALBOX_DATABASE_URL." },
    );
  if (facts && facts.encoding !== "UTF8")
    throw new AppError(
      "store_unusable",
      `${name} cannot be used as the store: its encoding is ${facts.encoding}, but Signalbox needs UTF8.`,
      { fix: "Create another database: createdb --encoding=UTF8 --template=template0 <name>." },
    );
}

async function applyPending(
  session: Session,
  p: { folder: string; name: string; known: string[]; now: number; logger: Logger },
): Promise<string[]> {
  const { folder, known, name, now } = p;
  // The migration of another process can take minutes.
  await session.change("SET LOCAL lock_timeout = 0");
  await session.change("SELECT pg_advisory_xact_lock($1)", [lockNumber]);
  const already = await readApplied(session, name);
  await createMissingSchema(session, storeSchema);
  await session.change(
    "CREATE TABLE IF NOT EXISTS signalbox.schema_migration (position integer PRIMARY KEY, tag text NOT NULL, applied_at bigint NOT NULL)",
  );
  const first = countApplied(already, { known, name });
  for (const [position, tag] of known.entries()) {
    if (position < first) continue;
    await session.run(readFileSync(join(folder, `${tag}.sql`), "utf8"));
    await session.change("INSERT INTO signalbox.schema_migration (position, tag, applied_at) VALUES ($1, $2, $3)", [
      position,
      tag,
      now,
    ]);
  }
  return known.slice(first);
}

/**
 * The migrations that a database has; none if it has no store yet. Throws AppError `store_unusable` if another program
 * uses its schema. `name`: of the database.
 */
export async function readApplied(session: Session, name: string): Promise<string[]> {
  const ours = await session.rows(
    "SELECT 1 FROM pg_attribute WHERE attrelid = to_regclass('signalbox.schema_migration') AND attname = 'tag'",
  );
  if (ours.length === 0) {
    await rejectForeignTables(session, { schema: storeSchema, name });
    return [];
  }
  return (await session.rows<{ tag: string }>("SELECT tag FROM signalbox.schema_migration ORDER BY position")).map(
    ({ tag }) => tag,
  );
}
