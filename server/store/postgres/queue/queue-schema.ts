import { getConstructionPlans, getMigrationPlans } from "pg-boss";
import { AppError } from "../../../contract/app-error.ts";
import type { Session } from "../connection/session.ts";
import { createMissingSchema, rejectForeignTables } from "../own-schema.ts";
import { schemaName } from "./queue-names.ts";

/** Of the bundled pg-boss. */
const currentVersion = Number(/version\(version\) VALUES \('(\d+)'\)/.exec(getConstructionPlans(schemaName))?.[1]);

/** The statements of a plan, for a transaction that is already open and has its own lock. */
function withoutTransaction(plan: string): string {
  return plan.replace(/^\s*BEGIN;/, "").replace(/COMMIT;\s*$/, "");
}

export interface QueueSchema {
  /** `null`: it does not exist yet. */
  installed: number | null;
  current: number;
}

/** Throws AppError `store_unusable` if another program uses the schema. `name`: of the database. */
export async function readQueueSchema(session: Session, name: string): Promise<QueueSchema> {
  const [found] = await session.rows<{ exists: boolean }>(
    `SELECT to_regclass('${schemaName}.version') IS NOT NULL AS exists`,
  );
  if (!found?.exists) {
    await rejectForeignTables(session, { schema: schemaName, name });
    return { installed: null, current: currentVersion };
  }
  const [row] = await session.rows<{ version: number }>(`SELECT version::int AS version FROM ${schemaName}.version`);
  return { installed: row?.version ?? null, current: currentVersion };
}

/** Whether the schema has to be created or changed. Throws AppError `store_unusable` if a newer version changed it. */
export function isQueuePending({ installed, current }: QueueSchema, name: string): boolean {
  if (installed !== null && installed > current)
    throw new AppError(
      "store_unusable",
      `${name} cannot be used as the store: a newer Signalbox changed its queue (schema ${schemaName}, version ${installed} instead of ${current}).`,
      { fix: "Start the newer version, or restore a backup." },
    );
  return installed !== current;
}

/** Creates the schema of pg-boss, or changes it to the version of the bundled one. In the caller's transaction. */
export async function migrateQueue(session: Session, { installed }: QueueSchema): Promise<void> {
  if (installed === null) await createMissingSchema(session, schemaName);
  const plan =
    installed === null
      ? getConstructionPlans(schemaName, { createSchema: false })
      : getMigrationPlans(schemaName, installed);
  await session.run(withoutTransaction(plan));
}
