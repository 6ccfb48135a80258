import { asc, count, desc, getTableColumns, type SQL } from "drizzle-orm";
import type { PgColumn } from "drizzle-orm/pg-core";
import type { Pool } from "pg";
import { migrationsFolder } from "../../paths.ts";
import { type Clock, systemClock } from "../../ports/clock.ts";
import { type Logger, silentLogger } from "../../ports/logger.ts";
import type { Store } from "../../ports/store.ts";
import type { IdentityCondition, IdentityRows, IdentityTable } from "../../ports/store/people-store.ts";
import { createFoldLater } from "../shared/fold-later.ts";
import { identityColumns, identityCondition } from "../shared/identity-conditions.ts";
import { acceptDeliveries, type AcceptJob } from "./accept-deliveries.ts";
import { createAuditStore } from "./audit-store.ts";
import { createChangeListener } from "./change-listener.ts";
import { createPool, databaseName } from "./connect.ts";
import { createDatabase, type PostgresDatabase } from "./database.ts";
import { createDeliveryStore } from "./delivery-store.ts";
import { createEngineStore } from "./engine-store.ts";
import { foldTraffic } from "./fold-traffic.ts";
import { createInvitationStore } from "./invitation-store.ts";
import { createKeyStore } from "./key-store.ts";
import { readLiveMark } from "./live.ts";
import { migrate } from "./migrate.ts";
import { createPeopleStore } from "./people-store.ts";
import { createPresetStore } from "./preset-store.ts";
import { createRunStore } from "./run-store.ts";
import { person, personAccount, personSession, personVerification } from "./schema.ts";
import type { Session } from "./session.ts";
import { type SecretOfMachine, settleSecret } from "./settle-secret.ts";
import { followClock } from "./store-clock.ts";
import { toOpenError } from "./store-error.ts";
import { createSwitchStore } from "./switch-store.ts";
import { createTakeRates } from "./take-rates.ts";
import { createTrafficStore } from "./traffic-store.ts";
import { createUpkeepStore } from "./upkeep-store.ts";

const tables = {
  user: person,
  session: personSession,
  account: personAccount,
  verification: personVerification,
} as const;

/** More than are under way at any time. */
const looked = 1_000;

/**
 * Every change of a run adds to its timeline. Ids are given before the commit, and a lower one may be committed after a
 * higher: so it is not only looked how far the ids go, but also how many of the last there are.
 */
const markSql = `
  SELECT e.ends AS entries, d.ends AS deliveries, p.ends AS presets, s.ends AS switches FROM
    (SELECT concat(max(id), ' ', count(*)) AS ends FROM run_event WHERE id > (SELECT max(id) FROM run_event) - ${looked}) AS e,
    (SELECT concat(max(position), ' ', count(*)) AS ends FROM delivery WHERE position > (SELECT max(position) FROM delivery) - ${looked}) AS d,
    (SELECT concat(max(id), ' ', count(*)) AS ends FROM preset) AS p,
    (SELECT max(revision) AS ends FROM trigger_switch) AS s`;

/** Readers wait for each other, not for writers. One connection writes, another tells others of it. */
const mostReaders = 4;
const mostWriters = 2;
/** With the one that listens. */
export const connectionsOfProcess = mostReaders + mostWriters + 1;
const mostAccepts = 256;

interface OpenOptions {
  /** Postgres://user:password@host:port/database */
  url: string;
  clock?: Clock;
  logger?: Logger;
  /** Asked for where several machines must have the same. */
  secret?: SecretOfMachine;
  /** Told by how many milliseconds the clock of the database is ahead of this machine's. */
  onClock?: (aheadMs: number) => void;
}

/**
 * Opens the ledger in a Postgres database, version 15 or later, and brings its schema up to date. Any number of
 * processes, on any machines, may have it open. Rejects with AppError `store_unusable` where it cannot be reached or
 * used, or where a newer version wrote it; the message says why.
 */
export async function openPostgresStore(p: OpenOptions): Promise<Store> {
  const logger = p.logger ?? silentLogger;
  const name = databaseName(p.url);
  const patient = createPool(p.url, { max: 1, logger, isPatient: true });
  try {
    await migrate(patient, { folder: migrationsFolder("postgres"), name, clock: p.clock ?? systemClock, logger });
    if (p.secret) await settleSecret(patient, { ...p.secret, name });
  } catch (error) {
    throw toOpenError(error, name);
  } finally {
    await patient.end();
  }
  const readers = createPool(p.url, { max: mostReaders, logger });
  const stopClock = p.onClock
    ? await followClock({ pool: readers, tell: p.onClock, logger }).catch(async (error: unknown) => {
        await readers.end();
        throw toOpenError(error, name);
      })
    : () => {};
  return createStore({
    url: p.url,
    writers: createPool(p.url, { max: mostWriters, logger }),
    readers,
    stopClock,
    logger,
  });
}

function createStore(p: { url: string; writers: Pool; readers: Pool; stopClock: () => void; logger: Logger }): Store {
  const listener = createChangeListener({ url: p.url, pool: p.writers, logger: p.logger });
  const database = createDatabase({ readers: p.readers, writers: p.writers, changed: listener.changed });
  const { read } = database;
  // What a crash undoes of it is in the log again, whole.
  const folding = createFoldLater({
    fold: () => database.writeSoon((session) => foldTraffic(session)),
    what: "the traffic counts",
    logger: p.logger,
  });
  const accept = database.together({
    maxBatch: mostAccepts,
    write: (session, jobs: readonly AcceptJob[]) => acceptDeliveries(session, jobs, { counted: folding.counted }),
  });
  // What a process that is gone has left.
  folding.counted(0);
  return {
    ...createDeliveryStore(database, accept),
    ...createRunStore(database, accept),
    ...createTrafficStore(database),
    ...createPresetStore(database),
    ...createSwitchStore(database),
    ...createEngineStore(database),
    ...createKeyStore(database),
    ...createPeopleStore(database),
    ...createInvitationStore(database),
    ...createAuditStore(database),
    ...createIdentityRows(database),
    ...createUpkeepStore(database),
    ping: () => ping(database),
    takeRates: createTakeRates(database),
    watch: listener.watch,
    mark: () => read(readMark),
    liveMark: () => read(readLiveMark),
    numbers: async () => ({ ...database.numbers(), fileBytes: { database: await read(sizeOf), log: 0 } }),
    async close() {
      p.stopClock();
      folding.close();
      await database.close();
      await listener.close();
      await Promise.all([p.readers.end(), p.writers.end()]);
    },
  };
}

/** Takes a transaction number, so that a full disk and a replica that only reads show as well. */
function ping({ writeSoon }: PostgresDatabase): Promise<void> {
  return writeSoon(async (session) => void (await session.rows("SELECT pg_current_xact_id()")));
}

async function sizeOf(session: Session): Promise<number> {
  const [found] = await session.rows<{ bytes: number }>("SELECT pg_database_size(current_database()) AS bytes");
  return found?.bytes ?? 0;
}

async function readMark(session: Session): Promise<string> {
  return JSON.stringify(await session.rows(markSql));
}

/** For the identity provider, which has its own mind about what it asks. Everybody else has the verbs of the people. */
function createIdentityRows({ read, write }: PostgresDatabase): IdentityRows {
  return {
    insertRow: (table, row) =>
      write(async ({ db }) => {
        const [inserted] = await db
          .insert(tables[table])
          .values(row as never)
          .returning();
        if (!inserted) throw new Error(`A row of ${table} was not written.`);
        return inserted;
      }),
    findRows: ({ table, where, limit, offset, sortBy }) =>
      read(({ db }) => {
        const found = db.select().from(tables[table]).where(conditionOf(table, where)).limit(limit).offset(offset);
        if (!sortBy) return found;
        const column = columnsOf(table)(sortBy.field);
        return found.orderBy(sortBy.direction === "asc" ? asc(column) : desc(column));
      }),
    countRows: (table, where) =>
      read(
        async ({ db }) =>
          (await db.select({ found: count() }).from(tables[table]).where(conditionOf(table, where)))[0]?.found ?? 0,
      ),
    updateRows: (table, where, values) =>
      write(({ db }) => db.update(tables[table]).set(values).where(conditionOf(table, where)).returning()),
    removeRows: (table, where) =>
      write(({ db }) => db.delete(tables[table]).where(conditionOf(table, where)).returning()),
  };
}

function conditionOf(table: IdentityTable, where: readonly IdentityCondition[]): SQL | undefined {
  return identityCondition(where, columnsOf(table));
}

function columnsOf(table: IdentityTable): (field: string) => PgColumn {
  return identityColumns<PgColumn>(table, getTableColumns(tables[table]));
}
