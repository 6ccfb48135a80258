import type { Settings } from "../../config.ts";
import { AppError } from "../../contract/app-error.ts";
import { type CopiedTable, planCopy } from "./copy-plan.ts";
import type { Row } from "./row.ts";
import { createTableHash } from "./row-hash.ts";
import type { CopySource, CopyTarget, Place, TableReader } from "./table-rows.ts";

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
  /** Whether it went on with what an earlier copy had begun. */
  isContinued: boolean;
  /** Rows with texts that the target has no form for: half a surrogate pair has become U+FFFD there. */
  changedRows: number;
  /** As both stores have them: what was read of the one and of the other, after all was written, is the same. */
  tables: { name: string; rows: number; hash: string }[];
}

/**
 * Copies a whole store into an empty one, in portions, each of which is on disk together with the note how far the copy
 * is: one that is killed goes on where it was when it is started again. Then both are read as a whole and compared;
 * only when they are equal can the target be opened as a store. Nobody else can write either meanwhile. Rejects with
 * AppError `store_unusable`.
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

interface Ends {
  tables: readonly CopiedTable[];
  source: CopySource;
  target: CopyTarget;
  onProgress: (progress: CopyProgress) => void;
}

async function copyAll(ends: Ends): Promise<CopiedStore> {
  const { tables, source, target } = ends;
  let ofRows = 0;
  for (const table of tables) ofRows += await source.countRows(table);
  await copyTables(ends, ofRows);
  const compared = await compareTables(ends, ofRows);
  const counters = new Map<CopiedTable, number>();
  for (const table of tables) counters.set(table, await source.readCounter(table));
  await target.finish(counters);
  return { from: source.name, to: target.name, isContinued: target.progress.size > 0, ...compared };
}

async function copyTables({ tables, source, target, onProgress }: Ends, ofRows: number): Promise<void> {
  let rows = 0;
  for (const table of tables) {
    const begun = target.progress.get(table.name);
    let done = begun?.rows ?? 0;
    rows += done;
    let after: Place | null = begun?.after ?? null;
    for (let isWhole = begun?.isWhole ?? false; !isWhole;) {
      onProgress({ stage: "copying", table: table.name, rows, ofRows });
      const portion = await source.readPortion(table, after);
      isWhole = portion === null;
      after = portion?.place ?? after;
      done += portion?.rows.length ?? 0;
      rows += portion?.rows.length ?? 0;
      const fitting = portion?.rows.map((row) => fit(row, target)) ?? [];
      await target.write(table, fitting, { after, rows: done, isWhole });
    }
  }
}

async function compareTables(
  { tables, source, target, onProgress }: Ends,
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
    `${target.name} differs from ${source.name}: ${differing.join(", ")}. The source has changed since the copy started, or a disk is faulty. Empty the target and start again.`,
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
    portion = await reader.readPortion(table, portion.place)
  ) {
    for (const row of portion.rows) hash.add(fitRow(row));
    onRows(portion.rows.length);
  }
  return { rows: hash.rows, hash: hash.digest() };
}

/** The same row where all of it fits. */
function fit(row: Row, target: CopyTarget): Row {
  if (target.takesLoneSurrogates || row.every((value) => typeof value !== "string" || value.isWellFormed())) return row;
  return row.map((value) => (typeof value === "string" ? value.toWellFormed() : value));
}

// Each database is loaded when it is needed.

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
