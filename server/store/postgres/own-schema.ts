import { AppError } from "../../contract/app-error.ts";
import type { Session } from "./connection/session.ts";

/** Creates a schema. If it exists, no privilege on the database is needed: an administrator can have created it. */
export async function createMissingSchema(session: Session, schema: string): Promise<void> {
  const found = await session.rows("SELECT 1 FROM pg_namespace WHERE nspname = $1", [schema]);
  if (found.length === 0) await session.run(`CREATE SCHEMA ${schema}`);
}

/**
 * A table, a view, a materialized view or a foreign table of the schema. None if it has the migrations of a store,
 * which another process may have committed a moment ago.
 */
const foreignSql = `
  SELECT relname AS name FROM pg_class JOIN pg_namespace ON pg_namespace.oid = relnamespace
  WHERE nspname = $1 AND relkind IN ('r', 'p', 'v', 'm', 'f')
    AND NOT EXISTS (
      SELECT 1 FROM pg_class AS own JOIN pg_attribute ON attrelid = own.oid AND attname = 'tag'
      WHERE own.relnamespace = pg_namespace.oid AND own.relname = 'schema_migration'
    )
  ORDER BY relname LIMIT 1`;

/**
 * Call it for a schema in which this store has created nothing yet. Throws AppError `store_unusable` if another program
 * uses it. `name`: of the database.
 */
export async function rejectForeignTables(session: Session, { schema, name }: { schema: string; name: string }) {
  const [foreign] = await session.rows<{ name: string }>(foreignSql, [schema]);
  if (!foreign) return;
  throw new AppError(
    "store_unusable",
    `${name} cannot be used as the store: its schema ${schema} has tables of another program, for example ${foreign.name}.`,
    {
      fix: `Set SIGNALBOX_DATABASE_URL to another database, or rename the schema: ALTER SCHEMA ${schema} RENAME TO <name>.`,
    },
  );
}
