import type { Settings } from "../../config.ts";
import { AppError } from "../../contract/app-error.ts";
import { type CopiedTable, planCopy } from "./copy-plan.ts";
import type { Row } from "./row.ts";
import { createTableHash } from "./row-hash.ts";
import type { CopySource, CopyTarget, Cursor, TableReader } from "./table-rows.ts";

type Database = Settings["database"];

export interface CopyProgress {
  stage: "copying" | "comparing";
  table: string;
  /** Of all tables. */
  rows: number;
  ofRows: number;
}

export interface CopiedStore {
  from: string;
  to: string;
  /** Whether it continued an interrupted copy. */
  isContinued: boolean;
  /** Rows with strings that the target cannot store: half of a surrogate pair becomes U+FFFD. */
  changedRows: number;
  /** The tables of both stores. The hashes of source and target, read after all writes, are equal. */
  tables: { name: string; rows: number; hash: string }[];
}

/**
 * Copies a whole store into an empty one, in portions. Each portion is committed together with the progress of the
 * copy, so a killed copy continues when it is started again. Then both stores are read completely and compared. The
 * target can be opened as a store only if they are equal. No other process can write to either store meanwhile. Rejects
 * with AppError `store_unusable`.
 */
export async function copyStore(p: {
  from: Database;
  to: Database;
  onProgress: (progress: CopyProgress) => void;
}): Promise<CopiedStore> {
  const tables = planCopy();
  const source = await openSource(p.from, tables);
  try {
    const target = await openTarget(p.to, { origin: source, tables });
    try {
      return await copyAll({ ...p, tables, source, target });
    } finally {
      await target.close();
    }
  } finally {
    await source.close();
  }
}

interface CopyParts {
  tables: readonly CopiedTable[];
  source: CopySource;
  target: CopyTarget;
  onProgress: (progress: CopyProgress) => void;
}

async function copyAll(parts: CopyParts): Promise<CopiedStore> {
  const { tables, source, target } = parts;
  let ofRows = 0;
  for (const table of tables) ofRows += await source.countRows(table);
  await copyTables(parts, ofRows);
  const compared = await compareTables(parts, ofRows);
  const counters = new Map<CopiedTable, number>();
  for (const table of tables) counters.set(table, await source.readCounter(table));
  await target.finish(counters);
  return { from: source.name, to: target.name, isContinued: target.progress.size > 0, ...compared };
}

async function copyTables({ tables, source, target, onProgress }: CopyParts, ofRows: number): Promise<void> {
  let rows = 0;
  for (const table of tables) {
    const begun = target.progress.get(table.name);
    let done = begun?.rows ?? 0;
    rows += done;
    let after: Cursor | null = begun?.after ?? null;
    for (let isWhole = begun?.isWhole ?? false; !isWhole;) {
      onProgress({ stage: "copying", table: table.name, rows, ofRows });
      const portion = await source.readPortion(table, after);
      isWhole = portion === null;
      after = portion?.cursor ?? after;
      done += portion?.rows.length ?? 0;
      rows += portion?.rows.length ?? 0;
      const fitting = portion?.rows.map((row) => fit(row, target)) ?? [];
      await target.write(table, fitting, { after, rows: done, isWhole });
    }
  }
}

async function compareTables(
  { tables, source, target, onProgress }: CopyParts,
  ofRows: number,
): Promise<Pick<CopiedStore, "changedRows" | "tables">> {
  let [rows, changedRows] = [0, 0];
  const equal: CopiedStore["tables"] = [];
  const differing: string[] = [];
  for (const table of tables) {
    const onRows = (more: number) => {
      rows += more;
      onProgress({ stage: "comparing", table: table.name, rows, ofRows: ofRows * 2 });
    };
    const read = await hashTable(
      source,
      table,
      (row) => {
        const fitting = fit(row, target);
        if (fitting !== row) changedRows += 1;
        return fitting;
      },
      onRows,
    );
    const written = await hashTable(target, table, (row) => row, onRows);
    if (read.rows === written.rows && read.hash === written.hash) equal.push({ name: table.name, ...read });
    else
      differing.push(
        `${table.name} (${read.rows} rows in the source, ${written.rows} in the target${read.rows === written.rows ? ", with other content" : ""})`,
      );
  }
  if (differing.length === 0) return { changedRows, tables: equal };
  throw new AppError(
    "store_unusable",
    `${target.name} differs from ${source.name}: ${differing.join(", ")}. The source has changed since the copy started, or a disk is faulty.`,
    { fix: "Empty the target and start again." },
  );
}

async function hashTable(
  reader: TableReader,
  table: CopiedTable,
  fitRow: (row: Row) => Row,
  onRows: (rows: number) => void,
): Promise<{ rows: number; hash: string }> {
  const hash = createTableHash();
  for (
    let portion = await reader.readPortion(table, null);
    portion;
    portion = await reader.readPortion(table, portion.cursor)
  ) {
    for (const row of portion.rows) hash.add(fitRow(row));
    onRows(portion.rows.length);
  }
  return { rows: hash.rows, hash: hash.digest() };
}

/** Returns the same row if all of it fits. */
function fit(row: Row, target: CopyTarget): Row {
  if (target.takesLoneSurrogates || row.every((value) => typeof value !== "string" || value.isWellFormed())) return row;
  return row.map((value) => (typeof value === "string" ? value.toWellFormed() : value));
}

// Drivers are loaded on first use.

async function openSource(database: Database, tables: readonly CopiedTable[]): Promise<CopySource> {
  if (database.kind === "sqlite") return (await import("./open-sqlite.ts")).openSqliteSource(database.file);
  return (await import("./open-postgres.ts")).openPostgresSource(database.url, tables);
}

async function openTarget(
  database: Database,
  p: { origin: CopySource; tables: readonly CopiedTable[] },
): Promise<CopyTarget> {
  if (database.kind === "sqlite") return (await import("./open-sqlite.ts")).openSqliteTarget(database.file, p);
  return (await import("./open-postgres.ts")).openPostgresTarget(database.url, p);
}
