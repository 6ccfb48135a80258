import type { Pool } from "pg";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { AppError } from "../../contract/app-error.ts";
import type { Clock } from "../../ports/clock.ts";
import type { Logger } from "../../ports/logger.ts";
import { countApplied, readJournal } from "../shared/migration-journal.ts";
import { addMissingJobs } from "./queue/add-missing-jobs.ts";
import { isQueuePending, migrateQueue, readQueueSchema } from "./queue/queue-schema.ts";
import type { Session } from "./connection/session.ts";
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
    const migrations = known.length - countApplied(await readApplied(session), { known, name: p.name });
    return { migrations, isQueue: isQueuePending(await readQueueSchema(session), p.name) };
  });
  if (pending.migrations === 0 && !pending.isQueue) return [];
  const began = p.clock.now();
  const isNew = pending.migrations === known.length;
  if (!isNew)
    p.logger.info("migrating the store, webhooks wait; a large store takes some minutes", {
      database: p.name,
      pending: pending.migrations === 0 ? [queueMigration] : known.slice(-pending.migrations),
    });
  const done = await transact(pool, (session) => applyPending(session, { ...p, known, now: began }));
  if (!isNew) p.logger.info("store migrated", { seconds: Math.round((p.clock.now() - began) / 1000) });
  return done;
}

/** The first migration of stores whose runs have jobs. */
const withRunJobs = "0001_run_jobs";
/** How a change of the schema of pg-boss is reported. */
const queueMigration = "pgboss";

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
  await session.change(
    "CREATE TABLE IF NOT EXISTS schema_migration (position integer PRIMARY KEY, tag text NOT NULL, applied_at bigint NOT NULL)",
  );
  const first = countApplied(await readApplied(session), { known, name });
  for (const [position, tag] of known.entries()) {
    if (position < first) continue;
    await session.run(readFileSync(join(folder, `${tag}.sql`), "utf8"));
    await session.change("INSERT INTO schema_migration (position, tag, applied_at) VALUES ($1, $2, $3)", [
      position,
      tag,
      now,
    ]);
  }
  const applied = known.slice(first);
  const queue = await readQueueSchema(session);
  const isQueue = isQueuePending(queue, name);
  if (isQueue) await migrateQueue(session, queue);
  if (first > 0 && applied.includes(withRunJobs)) await addMissingJobs(session, p.logger);
  return isQueue ? [...applied, queueMigration] : applied;
}

export async function readApplied(session: Session): Promise<string[]> {
  const [found] = await session.rows<{ exists: boolean }>(
    "SELECT to_regclass('schema_migration') IS NOT NULL AS exists",
  );
  if (!found?.exists) return [];
  return (await session.rows<{ tag: string }>("SELECT tag FROM schema_migration ORDER BY position")).map(
    ({ tag }) => tag,
  );
}
