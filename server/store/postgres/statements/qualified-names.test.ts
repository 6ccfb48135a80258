import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { getTableName, is } from "drizzle-orm";
import { PgTable } from "drizzle-orm/pg-core";
import { expect, it } from "vitest";
import * as schema from "../schema.ts";

const tables = Object.values(schema).flatMap((table) => (is(table, PgTable) ? [getTableName(table)] : []));
const unqualified = new RegExp(
  String.raw`\b(FROM|JOIN|INTO|UPDATE|TABLE|USING|ANALYZE)\s+"?(${[...tables, "schema_migration", "store_copy"].join("|")})\b`,
);
const folders = [join(import.meta.dirname, ".."), join(import.meta.dirname, "../../copy")];

it("every statement names the schema of its tables", () => {
  const files = folders
    .flatMap((folder) => globSync("**/*.ts", { cwd: folder }).map((file) => join(folder, file)))
    .filter((file) => !/sqlite|\.test\.ts$/.test(file));
  expect(files.length).toBeGreaterThan(50);
  expect(files.filter((file) => unqualified.test(readFileSync(file, "utf8")))).toEqual([]);
});
