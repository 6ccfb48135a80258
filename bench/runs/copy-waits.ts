import Database from "better-sqlite3";
import { getTableColumns, getTableName } from "drizzle-orm";
import type { PgTable } from "drizzle-orm/pg-core";
import { Client } from "pg";
import type { EventMatch } from "../../server/contract/run.ts";
import { packedHex } from "../../server/domain/ids.ts";
import { run, runStep, runWait } from "../../server/store/postgres/schema.ts";
import { runId as storedRunId } from "../../server/store/sqlite/stored-forms.ts";

/** A run that waits like another one, for another event. */
export interface WaitCopy {
  runId: string;
  match: EventMatch;
  matchKey: string;
}

/** Copies the rows of a waiting run, which has one step and one wait. */
export function copyWaitOnSqlite(file: string, runId: string, copies: readonly WaitCopy[]): void {
  const db = new Database(file);
  try {
    const template = db.prepare("SELECT seq FROM run WHERE id = ?").pluck().get(storedRunId.pack(runId));
    const copy = (table: string, where: string, changed: Record<string, string>) => {
      const names = db.pragma(`table_info(${table})`) as { name: string }[];
      const columns = names.map(({ name }) => name).filter((name) => name !== "seq" && name !== "position");
      const values = columns.map((name) => changed[name] ?? name);
      return db.prepare(
        `INSERT INTO ${table} (${columns.join(", ")}) SELECT ${values.join(", ")} FROM ${table} WHERE ${where} = @template`,
      );
    };
    const copyRun = copy("run", "seq", { id: "@id" });
    const copyStep = copy("run_step", "run", { run: "@run" });
    const copyWait = copy("run_wait", "run", { run: "@run", match: "@match", match_key: "@key" });
    db.transaction(() => {
      for (const { runId: id, match, matchKey } of copies) {
        const run = copyRun.run({ template, id: storedRunId.pack(id) }).lastInsertRowid;
        copyStep.run({ template, run });
        copyWait.run({ template, run, match: JSON.stringify(match), key: packedHex.pack(matchKey) });
      }
    })();
    db.exec("ANALYZE");
    db.pragma("wal_checkpoint(TRUNCATE)");
  } finally {
    db.close();
  }
}

const copiesAtOnce = 50_000;

export async function copyWaitOnPostgres(url: string, runId: string, copies: readonly WaitCopy[]): Promise<void> {
  const client = new Client({ connectionString: url, options: "-c search_path=signalbox" });
  await client.connect();
  try {
    await client.query("SET synchronous_commit = off; SET statement_timeout = 0");
    for (let from = 0; from < copies.length; from += copiesAtOnce) {
      const some = copies.slice(from, from + copiesAtOnce);
      const values = [
        runId,
        some.map((copy) => copy.runId),
        some.map(({ match }) => JSON.stringify(match)),
        some.map(({ matchKey }) => matchKey),
      ];
      await client.query(copySql(run, "id", { id: "n.id" }), values);
      await client.query(copySql(runStep, "run_id", { run_id: "n.id" }), values);
      await client.query(
        copySql(runWait, "run_id", { run_id: "n.id", match: "n.match", match_key: "n.match_key" }),
        values,
      );
    }
    await client.query("VACUUM ANALYZE");
    await client.query("CHECKPOINT");
  } finally {
    await client.end();
  }
}

/** Copies one row of the table, with other values in some columns. */
function copySql(table: PgTable, where: string, changed: Record<string, string>): string {
  const names = Object.values(getTableColumns(table))
    .filter(({ columnType }) => !columnType.startsWith("PgBigSerial"))
    .map(({ name }) => name);
  const values = names.map((name) => changed[name] ?? `t.${name}`);
  const name = getTableName(table);
  return `INSERT INTO ${name} (${names.join(", ")}) SELECT ${values.join(", ")} FROM unnest($2::text[], $3::text[], $4::text[]) AS n (id, match, match_key), (SELECT * FROM ${name} WHERE ${where} = $1) AS t`;
}
