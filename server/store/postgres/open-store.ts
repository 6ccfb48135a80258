import type { Pool } from "pg";
import { migrationsFolder } from "../../paths.ts";
import { type Clock, systemClock } from "../../ports/clock.ts";
import { type Logger, silentLogger } from "../../ports/logger.ts";
import type { Store, StoreMark, StoreTopic } from "../../ports/store.ts";
import type { ReleaseRequest } from "../../ports/store/delivery-store.ts";
import { createCoreStore } from "../core/core-store.ts";
import type { CurrentLimits } from "../../domain/runs/run-limits.ts";
import { createFoldLater, type FoldLater } from "../shared/traffic/fold-later.ts";
import {
  acceptDeliveries,
  type AcceptJob,
  type AcceptOperation,
  isOneStatement,
} from "./deliveries/accept-deliveries.ts";
import { createChangeWatcher } from "./connection/change-watcher.ts";
import { createPool, databaseName } from "./connection/connect.ts";
import { createDatabase, type PostgresDatabase } from "./database.ts";
import { createDeliveryStore } from "./deliveries/delivery-store.ts";
import { createEngineStore } from "./engine/engine-store.ts";
import { createFeedStore } from "./lists/feed.ts";
import { releaseDeliveries } from "./deliveries/held-deliveries.ts";
import { foldTraffic } from "./deliveries/fold-traffic.ts";
import { readLiveMark } from "./engine/live.ts";
import { migrate } from "./migrate.ts";
import { createStoreDatabase, toStoreSession } from "./store-database.ts";
import { createWaitPaths } from "./deliveries/wait-paths.ts";
import { createRunStore } from "./runs/run-store.ts";
import type { Session } from "./connection/session.ts";
import { type SecretOfMachine, settleSecret } from "./settle-secret.ts";
import { followClock } from "./connection/store-clock.ts";
import { toOpenError } from "./store-error.ts";
import { createTakeRates } from "./take-rates.ts";
import { createTrafficStore } from "./deliveries/traffic-store.ts";
import { createUpkeepStore } from "./upkeep/upkeep-store.ts";
import { createWebhookReads } from "./webhook-reads.ts";
import { createWakeUps } from "./connection/wake-ups.ts";

/** More entries than transactions in progress can have. */
const looked = 1_000;

/**
 * Every change of a run adds to its timeline. An id is assigned before the commit, so a lower one may appear after a
 * higher one: the mark has the highest id and the number of the last entries.
 */
const markSql = `
  SELECT e.ends AS runs, d.ends AS deliveries, p.ends AS presets, s.ends AS switches, a.ends AS alerts FROM
    (SELECT concat(max(id), ' ', count(*)) AS ends FROM signalbox.run_event WHERE id > (SELECT max(id) FROM signalbox.run_event) - ${looked}) AS e,
    (SELECT concat(max(position), ' ', count(*)) AS ends FROM signalbox.delivery WHERE position > (SELECT max(position) FROM signalbox.delivery) - ${looked}) AS d,
    (SELECT concat(max(id), ' ', count(*)) AS ends FROM signalbox.preset) AS p,
    (SELECT max(revision) AS ends FROM signalbox.trigger_switch) AS s,
    (SELECT max(revision) AS ends FROM signalbox.alert_watch) AS a`;

/**
 * Readers wait for each other, not for writers. Accepts, claims and other writes have one each; one of them notifies
 * the other processes.
 */
const maxReaders = 4;
const maxWriters = 3;
/** Including the connection by which a run host is woken. */
export const connectionsOfProcess = maxReaders + maxWriters + 1;
const maxAccepts = 256;
const maxReleases = 50;

interface OpenOptions {
  /** `postgres://user:password@host:port/database`. */
  url: string;
  /** Set if `url` leads to a pooler in transaction mode: to the server itself, to migrate and to listen. */
  directUrl?: string;
  clock?: Clock;
  logger?: Logger;
  /** Several machines must have the same secret. Default: not checked. */
  secret?: SecretOfMachine;
  /** Receives the milliseconds by which the database's clock is ahead of this machine's. */
  onClock?: (aheadMs: number) => void;
  /** For tests: leases have the times that operations are given. Default: those of the database. */
  hasGivenLeaseTimes?: boolean;
}

/**
 * Opens the store in a Postgres database, version 15 or later, and migrates its schema. Any number of processes, on any
 * machines, may have it open. Rejects with AppError `store_unusable` if it cannot be reached or used, or if a newer
 * version wrote it; the message says why.
 */
export async function openPostgresStore(p: OpenOptions): Promise<Store> {
  const logger = p.logger ?? silentLogger;
  const name = databaseName(p.url);
  const directUrl = p.directUrl ?? p.url;
  const isShared = p.directUrl !== undefined;
  const patient = createPool(directUrl, { max: 1, logger, isPatient: true });
  try {
    await migrate(patient, { folder: migrationsFolder("postgres"), name, clock: p.clock ?? systemClock, logger });
    if (p.secret) await settleSecret(patient, { ...p.secret, name });
  } catch (error) {
    throw toOpenError(error, name);
  } finally {
    await patient.end();
  }
  const readers = createPool(p.url, { max: maxReaders, logger, isShared });
  const stopClock = p.onClock
    ? await followClock({ pool: readers, onAhead: p.onClock, logger }).catch(async (error: unknown) => {
        await readers.end();
        throw toOpenError(error, name);
      })
    : () => {};
  return createStore({
    directUrl,
    writers: createPool(p.url, { max: maxWriters, logger, isShared, isWriter: true }),
    readers,
    stopClock,
    logger,
    toLeaseTime: (now) => (p.hasGivenLeaseTimes ? now : null),
  });
}

function createStore(p: {
  directUrl: string;
  writers: Pool;
  readers: Pool;
  stopClock: () => void;
  logger: Logger;
  toLeaseTime: (now: number) => number | null;
}): Store {
  const wakeUps = createWakeUps({ url: p.directUrl, pool: p.writers, logger: p.logger });
  const watcher = createChangeWatcher({
    readMark: async () => JSON.stringify(await Promise.all([mark(), liveMark()])),
    logger: p.logger,
  });
  const database = createDatabase({
    readers: p.readers,
    writers: p.writers,
    changed: watcher.changed,
    wakeHosts: wakeUps.send,
  });
  const { read } = database;
  const mark = () => read(readMark);
  const liveMark = () => read(readLiveMark);
  // If a crash undoes a fold, all its counts are in the log again.
  const folding = createFoldLater({
    fold: () => database.writeRelaxed((session) => foldTraffic(session)),
    what: "the traffic counts",
    logger: p.logger,
  });
  const waitPaths = createWaitPaths(read);
  const toSession = (session: Session) => toStoreSession(session, { acceptIn });
  const accepted = countCommitted(folding);
  const acceptAll = (session: Session, requests: readonly AcceptJob[]) =>
    acceptDeliveries(session, requests, { counted: accepted.counted, toStoreSession: toSession });
  const acceptBatch = database.apart().createBatcher({ maxBatch: maxAccepts, isOneStatement, write: acceptAll });
  const accept: AcceptOperation = (job, terms) => acceptBatch(job, terms).then(accepted.committed);
  const acceptIn = async (session: Session, job: AcceptJob) => (await acceptAll(session, [job]))[0];
  const released = countCommitted(folding);
  const releaseBatch = database.createBatcher({
    maxBatch: maxReleases,
    nameOf: ({ id }: ReleaseRequest) => id,
    write: (session, requests: readonly ReleaseRequest[]) =>
      releaseDeliveries(session, requests, { counted: released.counted, toStoreSession: toSession, waitPaths }),
  });
  const release = (request: ReleaseRequest) => releaseBatch(request).then(released.committed);
  // Counts that an ended process has left.
  folding.counted(0);
  const storeDatabase = createStoreDatabase(database, { acceptIn });
  const limits: CurrentLimits = { current: new Map() };
  return {
    ...createDeliveryStore(database, { accept, release, waitPaths }),
    ...createFeedStore(database),
    ...createRunStore(database, { accept, toStoreSession: toSession }),
    ...createTrafficStore(database),
    ...createEngineStore(database, { ...p, limits, toStoreSession: toSession, waitPaths }),
    ...createCoreStore(storeDatabase, limits),
    ...createWebhookReads(storeDatabase),
    ...createUpkeepStore(database),
    ping: () => ping(database),
    takeRates: createTakeRates(database),
    watch: watcher.watch,
    watchRuns: wakeUps.watch,
    mark,
    liveMark,
    numbers: async () => ({ ...database.numbers(), fileBytes: { database: await read(sizeOf), log: 0 } }),
    async close() {
      p.stopClock();
      folding.close();
      watcher.close();
      await database.close();
      await wakeUps.close();
      await Promise.all([p.readers.end(), p.writers.end()]);
    },
  };
}

/** Reports the counts of transactions after their commit: a fold that begins before it does not find them. */
function countCommitted(folding: FoldLater) {
  let counts = 0;
  return {
    counted: (more: number) => void (counts += more),
    committed<Result>(result: Result): Result {
      if (counts > 0) folding.counted(counts);
      counts = 0;
      return result;
    },
  };
}

/** Takes a transaction number, so that it also fails on a full disk and on a read-only replica. */
function ping({ writeRelaxed }: PostgresDatabase): Promise<void> {
  return writeRelaxed(async (session) => void (await session.rows("SELECT pg_current_xact_id()")));
}

async function sizeOf(session: Session): Promise<number> {
  const [found] = await session.rows<{ bytes: number }>("SELECT pg_database_size(current_database()) AS bytes");
  return found?.bytes ?? 0;
}

async function readMark(session: Session): Promise<StoreMark> {
  const [found] = await session.rows<Record<StoreTopic, string | number | null>>(markSql);
  const endOf = (topic: StoreTopic) => String(found?.[topic] ?? "");
  return {
    deliveries: endOf("deliveries"),
    runs: endOf("runs"),
    presets: endOf("presets"),
    switches: endOf("switches"),
    alerts: endOf("alerts"),
  };
}
