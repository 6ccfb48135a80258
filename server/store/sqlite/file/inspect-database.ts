import { existsSync, statSync } from "node:fs";
import Database from "better-sqlite3";
import { migrationsFolder } from "../../../paths.ts";
import type { UsedContentKey } from "../../../domain/encryption/content-keys.ts";
import { oldestSql } from "../upkeep/upkeep-store.ts";
import { maxDueRuns, pools, type WorkerState } from "../../../domain/runs/blocked-work.ts";
import { prepareListDueRuns } from "../engine/due-runs.ts";
import {
  clockWatchSql,
  type StoreContents,
  type WantedContents,
  wantedByDefault,
} from "../../shared/store-contents.ts";
import type { ClockWatch } from "../../../domain/clock-watch.ts";
import { findDamage } from "./find-damage.ts";
import { findListDamage } from "../lists/list-index.ts";
import { readSchemaVersion } from "./migrate.ts";
import type { Connection } from "./open-connection.ts";
import { findLostLog, markOpen } from "./open-mark.ts";
import { rejectDamagedLog } from "./reject-damaged-log.ts";
import { toOpenError } from "../store-error.ts";
import { isOpenSql } from "../stored-forms.ts";

/** The state of a store's file. Other processes can use the file. */
export interface DatabaseFacts {
  /** See `findDamage`. */
  damage: string | null;
  /** The first difference between the list index and the rows; `null` if there is none or the schema is older. */
  listDamage: string | null;
  pendingMigrations: number;
  journalMode: string;
  fileBytes: number;
  logBytes: number;
  /** See `findLostLog`. */
  lostLogSince: string | null;
  freeBytes: number;
  canShrink: boolean;
  /** `null` if the schema has pending migrations. */
  contents: StoreContents | null;
}

/** Read-only. Returns `null` if there is no file. Throws AppError if it cannot be opened. */
export function inspectDatabase(file: string, wanted = wantedByDefault()): DatabaseFacts | null {
  if (!existsSync(file)) return null;
  rejectDamagedLog(file);
  return withConnection(file, (connection, lostLogSince) => ({
    ...readFacts(connection, { file, wanted }),
    lostLogSince,
  }));
}

/** Read-only, and fast. Throws AppError if the file cannot be opened, or is not a store. */
export function countPendingMigrations(file: string): number {
  return withConnection(file, (connection) => {
    const { applied, known } = readSchemaVersion(connection, migrationsFolder("sqlite"));
    return known - applied;
  });
}

function withConnection<T>(file: string, read: (connection: Connection, lostLogSince: string | null) => T): T {
  const lostLogSince = findLostLog(file, Date.now());
  try {
    const connection = new Database(file, { readonly: true, fileMustExist: true, timeout: 5000 });
    try {
      return read(connection, lostLogSince);
    } finally {
      // The connection has created an empty log.
      if (lostLogSince !== null) markOpen(file, lostLogSince);
      connection.close();
    }
  } catch (error) {
    throw toOpenError(error, file);
  }
}

function readFacts(
  connection: Connection,
  p: { file: string; wanted: WantedContents },
): Omit<DatabaseFacts, "lostLogSince"> {
  const { file } = p;
  const pragma = (name: string) => connection.pragma(name, { simple: true });
  const { applied, known } = readSchemaVersion(connection, migrationsFolder("sqlite"));
  return {
    damage: findDamage(connection),
    listDamage: applied === known ? findListDamage(connection) : null,
    pendingMigrations: known - applied,
    journalMode: String(pragma("journal_mode")),
    fileBytes: statSync(file).size,
    logBytes: statSync(`${file}-wal`, { throwIfNoEntry: false })?.size ?? 0,
    freeBytes: Number(pragma("freelist_count")) * Number(pragma("page_size")),
    canShrink: pragma("auto_vacuum") === 2,
    contents: applied === known ? readContents(connection, p.wanted) : null,
  };
}

const openRunsSql = `
  SELECT accepting.text AS version, of_target.text AS target, open_run.runs
  FROM (SELECT version, target, count(*) AS runs FROM run INDEXED BY run_open WHERE ${isOpenSql} GROUP BY version, target) AS open_run
  JOIN name AS accepting ON accepting.id = open_run.version JOIN name AS of_target ON of_target.id = open_run.target`;

function readContents(connection: Connection, { now, limits }: WantedContents): StoreContents {
  const numbers = (sql: string) => connection.prepare<unknown[], number>(sql).pluck().all();
  const keys = connection.prepare<
    unknown[],
    Omit<StoreContents["keys"][number], "endpoints"> & { endpoints: string | null }
  >(
    "SELECT id, name, kind, endpoints, ciphertext, expires_at AS expiresAt, revoked_at AS revokedAt, replaced_by AS replacedBy FROM webhook_key",
  );
  return {
    newestDeliveryAt: numbers("SELECT received_at FROM delivery ORDER BY seq DESC LIMIT 1")[0] ?? null,
    workers: connection
      .prepare<unknown[], Omit<WorkerState, "isResponsive"> & { isResponsive: 0 | 1 | null }>(
        "SELECT pool, is_responsive AS isResponsive, free_slots AS freeSlots, version, started_at AS startedAt, seen_at AS seenAt FROM worker",
      )
      .all()
      .map((worker) => ({ ...worker, isResponsive: worker.isResponsive === null ? null : worker.isResponsive === 1 })),
    due: prepareListDueRuns(connection)({ pools, now, limits, limit: maxDueRuns }),
    openRuns: connection.prepare<unknown[], StoreContents["openRuns"][number]>(openRunsSql).all(),
    keys: keys.all().map((key) => ({ ...key, endpoints: key.endpoints === null ? null : JSON.parse(key.endpoints) })),
    disabledTriggers: connection
      .prepare<unknown[], string>("SELECT slug FROM trigger_switch WHERE disabled_at IS NOT NULL ORDER BY slug")
      .pluck()
      .all(),
    contentKeys: connection
      .prepare<unknown[], UsedContentKey>(
        "SELECT id, since, retired_at AS retiredAt FROM content_key ORDER BY since, id",
      )
      .all(),
    clockWatch: connection.prepare<unknown[], ClockWatch>(clockWatchSql("clock_watch")).get() ?? null,
    oldestAt: numbers(oldestSql)[0] ?? null,
    people: numbers("SELECT count(*) FROM person")[0] ?? 0,
    admins: numbers("SELECT count(*) FROM person WHERE role = 'admin'")[0] ?? 0,
  };
}
