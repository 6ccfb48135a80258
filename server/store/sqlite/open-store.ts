import { statSync } from "node:fs";
import { stat } from "node:fs/promises";
import { AppError } from "../../contract/app-error.ts";
import type { StoreNumbers } from "../../domain/tallies.ts";
import { migrationsFolder } from "../../paths.ts";
import { type Clock, systemClock } from "../../ports/clock.ts";
import { type Logger, silentLogger } from "../../ports/logger.ts";
import type { Store } from "../../ports/store.ts";
import { createCoreStore } from "../core/core-store.ts";
import type { CurrentLimits } from "../../domain/runs/run-limits.ts";
import { createFoldLater } from "../shared/traffic/fold-later.ts";
import { createChangeWatcher, createReadCache } from "./writes/changes.ts";
import { createDatabase, type SqliteDatabase } from "./database.ts";
import { createDeliveryStore } from "./deliveries/delivery-store.ts";
import { createWaitPaths } from "./deliveries/wake-runs.ts";
import { createEngineStore } from "./engine/engine-store.ts";
import { createFeedStore } from "./lists/feed.ts";
import { createQueueCapacity, prepareInsertRun } from "./runs/insert-run.ts";
import { prepareKeySlots } from "./runs/key-slots.ts";
import { prepareListIndex } from "./lists/list-index.ts";
import { prepareLiveMark } from "./engine/live.ts";
import { findLostLog, lostLogMessage } from "./file/open-mark.ts";
import { migrate } from "./file/migrate.ts";
import { type Connection, openConnection, openMemoryConnection } from "./file/open-connection.ts";
import { createStoreDatabase, createStoreSession } from "./store-database.ts";
import { rejectDamagedFile } from "./file/reject-damaged-file.ts";
import { createRunStore } from "./runs/run-store.ts";
import { toOpenError } from "./store-error.ts";
import { prepareAddEntry } from "./runs/timeline.ts";
import { createTrafficTally, hasLoggedSql, prepareFoldTraffic } from "./deliveries/traffic-log.ts";
import { createTrafficStore } from "./deliveries/traffic-store.ts";
import { createUpkeepStore } from "./upkeep/upkeep-store.ts";
import { createWriteQueue, type WriteQueue } from "./writes/write-queue.ts";

const fileReplacedDetail =
  "The database file was removed or replaced while it was in use: writes would be lost. Put it back, or restart the service.";

/**
 * Opens the store in a SQLite file, creates it and its folder if needed, and migrates its schema. Several processes can
 * have it open. Rejects with AppError `store_unusable` if it cannot be used or a newer version wrote it. Rejects with
 * `store_unavailable` if another process keeps it locked.
 */
export async function openSqliteStore(p: { file: string; clock?: Clock; logger?: Logger }): Promise<Store> {
  try {
    const connection = await openConnection(p.file);
    try {
      const logger = p.logger ?? silentLogger;
      if (findLostLog(p.file, Date.now()) !== null) logger.warn(lostLogMessage, { file: `${p.file}-wal` });
      rejectDamagedFile(connection);
      migrate(connection, { folder: migrationsFolder("sqlite"), clock: p.clock ?? systemClock, logger });
      return createStore(connection, p.file, logger);
    } catch (error) {
      connection.close();
      throw error;
    }
  } catch (error) {
    throw toOpenError(error, p.file);
  }
}

/** Opens an empty store that exists only in this process, for tests of projects. Nothing of it is written to disk. */
export function openMemoryStore({ clock }: { clock: Clock }): Store {
  const connection = openMemoryConnection();
  migrate(connection, { folder: migrationsFolder("sqlite"), clock, logger: silentLogger });
  return createStore(connection, null, silentLogger);
}

/** `file`: `null` for a store in memory. */
function createStore(connection: Connection, file: string | null, logger: Logger): Store {
  const watcher = createChangeWatcher(connection, logger);
  const traffic = createTrafficTally(connection);
  const folding = createFoldLater({ fold: () => queue.write(fold), what: "the traffic counts", logger });
  const readCache = createReadCache(connection);
  const lists = prepareListIndex(connection);
  const indexing = createFoldLater({
    fold: () => queue.write(lists.fill, "page-cache"),
    what: "the list index",
    maxCounts: 1_000,
    betweenMs: 10,
    logger,
  });
  const noteUnlisted = () => {
    const unlisted = lists.countUnlisted();
    if (unlisted > 0) indexing.waits(unlisted);
  };
  /** What holds until an operation changes more than new deliveries and their runs. */
  const forgetReads = () => {
    capacity.clear();
    waitPaths.clear();
  };
  const onBegin = () => {
    forgetReads();
    traffic.begin();
    database.names.begin();
    database.changes.begin();
  };
  const onEnd = () => {
    const counts = traffic.write();
    if (counts > 0) folding.counted(counts);
    database.changes.write();
    noteUnlisted();
  };
  const queue = createWriteQueue(connection, {
    onBegin,
    onEnd,
    onWritten: watcher.changed,
    checkFile:
      file === null ? () => {} : createFileGuard(file, { onShrunk: (bytes) => rejectLostPages(connection, bytes) }),
  });
  const database = createDatabase(
    connection,
    (operation, durability, terms) =>
      queue.write(
        () => {
          forgetReads();
          readCache.clear();
          return operation();
        },
        durability,
        terms,
      ),
    queue.noteFailure,
  );
  // For operations that change nothing but runs.
  const writeRuns: WriteQueue["write"] = (operation, durability, terms) =>
    queue.write(
      () => {
        forgetReads();
        return operation();
      },
      durability,
      terms,
    );
  const capacity = createQueueCapacity(database);
  const waitPaths = createWaitPaths(database);
  // For operations that change queues only by insertRun.
  const queueing = queue.write;
  const fold = prepareFoldTraffic(connection);
  const addEntry = prepareAddEntry(database);
  const readEnds = prepareReadEnds(connection);
  const liveMark = prepareLiveMark(connection);
  const keySlots = prepareKeySlots(database);
  const limits: CurrentLimits = { current: new Map() };
  const insertRun = prepareInsertRun(database, { capacity, keySlots });
  const session = createStoreSession(database, { addEntry, insertRun, keySlots, capacity });
  const core = createCoreStore(createStoreDatabase(database, { session, queueing }), limits);
  // Counts of processes that have ended.
  if (connection.prepare<unknown[], number>(hasLoggedSql).pluck().get() === 1) folding.counted(0);
  noteUnlisted();
  return {
    ...createDeliveryStore(database, { insertRun, capacity, queueing, session, waitPaths, countTraffic: traffic.add }),
    ...createFeedStore(database),
    ...createRunStore(database, { insertRun, keySlots, capacity, queueing, addEntry, session }),
    ...createTrafficStore(database),
    ...createEngineStore({ ...database, write: writeRuns }, { addEntry, insertRun, keySlots, limits, session }),
    ...core,
    ...readCache.wrap(core),
    ...createUpkeepStore(database),
    ping: () => ping(database, { readEnds, ...queue }),
    watch: watcher.watch,
    watchRuns: watcher.watchOthers,
    mark: () => database.read(database.changes.read),
    liveMark: () => database.read(liveMark),
    numbers: async () => ({
      ...queue.numbers(),
      fileBytes: file === null ? { database: 0, log: 0 } : await readFileBytes(file),
    }),
    async close() {
      folding.close();
      indexing.close();
      queue.close();
      watcher.close();
      connection.close();
    },
  };
}

/**
 * Reads the ends of the tables that webhooks append to, and writes a number that no code reads. Also reports a recent
 * failure: a small write can fit onto a full disk, and undamaged pages are still readable.
 */
async function ping(
  { connection, read }: SqliteDatabase,
  { readEnds, probe, lastFailure }: { readEnds: () => void } & Pick<WriteQueue, "probe" | "lastFailure">,
): Promise<void> {
  await read(readEnds);
  await probe(() => {
    connection.pragma("user_version = 1");
  });
  const failure = lastFailure();
  if (failure !== undefined) throw failure;
}

function prepareReadEnds(connection: Connection): () => void {
  const ends = connection.prepare("SELECT (SELECT max(seq) FROM delivery), (SELECT max(seq) FROM run)");
  return () => void ends.get();
}

async function readFileBytes(file: string): Promise<StoreNumbers["fileBytes"]> {
  const [database, log] = await Promise.all([sizeOf(file), sizeOf(`${file}-wal`)]);
  return { database, log };
}

function sizeOf(path: string): Promise<number> {
  return stat(path).then(
    ({ size }) => size,
    () => 0,
  );
}

/**
 * Writes to a removed file succeed as long as it is open, but are lost. Throws AppError `store_unavailable` if the
 * database or its write-ahead log is no longer the opened file. If the database became smaller, `onShrunk` gets its
 * size and throws if it is damaged; it is then called again.
 */
function createFileGuard(file: string, { onShrunk }: { onShrunk: (bytes: bigint) => void }): () => void {
  const identities = new Map<string, string>();
  let bytes = 0n;
  const check = () => {
    for (const path of [file, `${file}-wal`]) {
      const stats = statSync(path, { bigint: true, throwIfNoEntry: false });
      const now = stats ? `${stats.dev}:${stats.ino}` : null;
      const opened = identities.get(path);
      // SQLite creates the log with the first write.
      if (opened === undefined && now !== null) identities.set(path, now);
      // Senders see the detail. The path of the file is only for the log.
      if (opened !== undefined && opened !== now)
        throw new AppError("store_unavailable", fileReplacedDetail, {
          cause: new Error(`${path} is not the file that was opened`),
        });
      if (path !== file || !stats) continue;
      if (stats.size < bytes) onShrunk(stats.size);
      bytes = stats.size;
    }
  };
  check();
  return check;
}

/**
 * Upkeep also makes the file smaller, but then no page is missing. Cached pages are dropped first: they would hide lost
 * ones.
 */
function rejectLostPages(connection: Connection, bytes: bigint): void {
  connection.pragma("shrink_memory");
  const [pages, pageBytes] = ["page_count", "page_size"].map((name) =>
    Number(connection.pragma(name, { simple: true })),
  );
  if ((pages ?? 0) * (pageBytes ?? 0) > bytes) rejectDamagedFile(connection);
}
