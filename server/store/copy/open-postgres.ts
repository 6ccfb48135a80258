import { setTimeout as delay } from "node:timers/promises";
import { Client, type Connection, type Submittable } from "pg";
import { z } from "zod";
import { AppError } from "../../contract/app-error.ts";
import { migrationsFolder } from "../../paths.ts";
import { systemClock } from "../../ports/clock.ts";
import { silentLogger } from "../../ports/logger.ts";
import { connectionConfig, databaseName, settle } from "../postgres/connection/connect.ts";
import { migrateDatabase } from "../postgres/migrate-database.ts";
import { toOpenError } from "../postgres/store-error.ts";
import { toPostgresText } from "../postgres/statements/text-encoding.ts";
import { copyMark, countApplied, readJournal } from "../shared/migration-journal.ts";
import { beginCopy, type CopyNotes, type CopyOrigin } from "./copy-notes.ts";
import { type CopiedTable, storedColumns } from "./copy-plan.ts";
import { encodeRows } from "./encode-rows.ts";
import { createPostgresReader } from "./postgres-rows.ts";
import type { Row } from "./row.ts";
import type { CopySource, CopyTarget, TableProgress } from "./table-rows.ts";

/** The driver's methods for COPY, which its types omit. */
interface CopyConnection extends Connection {
  sendCopyFromChunk(chunk: Uint8Array): void;
  endCopyFrom(): void;
}

/** Bytes in one message to the server. */
const chunkBytes = 64 * 1024;

const applicationName = "signalbox store copy";
/** The advisory lock of the copy that writes a target, as long as it is connected. */
const lockNumber = 7_245_113_902_417_734n;

/**
 * Opens a snapshot of the store: its writers are blocked until it is closed. Rejects with AppError `store_unusable` if
 * a service uses it, or if it has another version.
 */
export async function openPostgresSource(url: string, tables: readonly CopiedTable[]): Promise<CopySource> {
  return connectExclusively(url, async (client, name) => {
    const notes = notesOf(client);
    if (!(await notes.hasSchema()))
      throw new AppError("store_unusable", `${name} has no Signalbox store.`, { fix: "Correct --from." });
    const known = readJournal(notes.folder);
    if (countApplied(await notes.applied(), { known, name }) < known.length)
      throw new AppError("store_unusable", `${name} was written by an older Signalbox.`, {
        fix: "Migrate it first: `signalbox store migrate --to <its URL>`.",
      });
    await client.query("BEGIN ISOLATION LEVEL REPEATABLE READ");
    await client.query(`LOCK TABLE ${tables.map((table) => `signalbox."${table.name}"`).join(", ")} IN SHARE MODE`);
    const [first] = z
      .array(z.object({ at: z.number() }))
      .parse(
        (await client.query("SELECT applied_at AS at FROM signalbox.schema_migration ORDER BY position LIMIT 1")).rows,
      );
    return { ...createPostgresReader(client, name), identity: String(first?.at), close: () => client.end() };
  });
}

/** The same for the target. Rejects if it is neither empty nor the target of an interrupted copy of the same source. */
export async function openPostgresTarget(
  url: string,
  p: { origin: CopyOrigin; tables: readonly CopiedTable[] },
): Promise<CopyTarget> {
  return connectExclusively(url, async (client, name) => {
    // The server can need a moment to detect that a killed copy has disconnected.
    await client.query("SELECT pg_advisory_lock($1)", [lockNumber]).catch((cause: unknown) => {
      throw new AppError("store_unusable", `Another \`signalbox store copy\` is writing to ${name}.`, {
        fix: "Wait until it has ended, or stop it.",
        cause,
      });
    });
    const reader = createPostgresReader(client, name);
    const notes = notesOf(client);
    const migrate = async () =>
      void (await migrateDatabase({ url, folder: notes.folder, clock: systemClock, logger: silentLogger }));
    const progress = await beginCopy({ ...p, reader, notes, migrate });
    return {
      ...reader,
      takesLoneSurrogates: true,
      progress,
      write: (table, portion, done) => inTransaction(client, () => write(client, { table, portion, done })),
      finish: (counters) => inTransaction(client, () => finish(client, counters)),
      close: () => client.end(),
    };
  });
}

async function write(
  client: Client,
  p: { table: CopiedTable; portion: readonly Row[]; done: TableProgress },
): Promise<void> {
  const { table, portion, done } = p;
  const stored = storedColumns(table);
  const columns = [...stored, ...table.derived];
  const toFields = (row: Row) =>
    [...row.slice(0, stored.length), ...table.derived.map((column) => column.of(row, table.columns))].map((value) =>
      typeof value === "string" ? toPostgresText(value) : value,
    );
  const bytes = encodeRows(
    portion.map(toFields),
    columns.map(({ type }) => type),
  );
  if (portion.length > 0)
    await copyIn(
      client,
      `COPY signalbox."${table.name}" (${columns.map((column) => `"${column.name}"`).join(", ")}) FROM STDIN (FORMAT binary)`,
      bytes,
    );
  await putNote(client, table.name, JSON.stringify(done));
}

async function finish(client: Client, counters: ReadonlyMap<CopiedTable, number>): Promise<void> {
  for (const [{ name, counter }, highest] of counters) {
    if (counter !== null && highest > 0)
      await client.query("SELECT setval(pg_get_serial_sequence($1, $2), $3)", [
        `signalbox."${name}"`,
        counter,
        highest,
      ]);
    // The planner's statistics of a table that was empty are wrong.
    await client.query(`ANALYZE signalbox."${name}"`);
  }
  await client.query("UPDATE signalbox.run SET lease_until = 0 WHERE worker_id IS NOT NULL");
  await client.query("DROP TABLE signalbox.store_copy");
  await client.query("DELETE FROM signalbox.schema_migration WHERE position = $1", [copyMark.position]);
}

function notesOf(client: Client): CopyNotes {
  const has = async (condition: string) =>
    ((await client.query(`SELECT 1 FROM pg_tables WHERE schemaname = 'signalbox' AND ${condition} LIMIT 1`)).rowCount ??
      0) > 0;
  return {
    folder: migrationsFolder("postgres"),
    hasTables: () => has("true"),
    hasSchema: () => has("tablename = 'schema_migration'"),
    applied: async () =>
      (await client.query<{ tag: string }>("SELECT tag FROM signalbox.schema_migration ORDER BY position")).rows.map(
        ({ tag }) => tag,
      ),
    begin: (origin) =>
      inTransaction(client, async () => {
        await client.query("INSERT INTO signalbox.schema_migration (position, tag, applied_at) VALUES ($1, $2, 0)", [
          copyMark.position,
          copyMark.tag,
        ]);
        await client.query("CREATE TABLE signalbox.store_copy (name text PRIMARY KEY, value text NOT NULL)");
        await putNote(client, "", origin);
      }),
    list: async () =>
      new Map(
        (await client.query<{ name: string; value: string }>("SELECT name, value FROM signalbox.store_copy")).rows.map(
          ({ name, value }) => [name, value],
        ),
      ),
  };
}

async function putNote(client: Client, name: string, value: string): Promise<void> {
  await client.query(
    "INSERT INTO signalbox.store_copy (name, value) VALUES ($1, $2) ON CONFLICT (name) DO UPDATE SET value = excluded.value",
    [name, toPostgresText(value)],
  );
}

async function inTransaction(client: Client, act: () => Promise<void>): Promise<void> {
  await client.query("BEGIN");
  try {
    await act();
    await client.query("COMMIT");
  } catch (error) {
    await client.query("ROLLBACK").catch(() => {});
    throw error;
  }
}

/** Postgres notices a moment later that a service has disconnected. */
const disconnectWithinMs = 3_000;

async function countConnections(client: Client): Promise<number> {
  const { rows } = await client.query<{ users: number }>(
    "SELECT count(*)::int AS users FROM pg_stat_activity WHERE datname = current_database() AND application_name LIKE 'signalbox%' AND application_name <> $1",
    [applicationName],
  );
  return rows[0]?.users ?? 0;
}

async function connectExclusively<End>(
  url: string,
  open: (client: Client, name: string) => Promise<End>,
): Promise<End> {
  const name = databaseName(url);
  const client = new Client({ ...connectionConfig(url, { isPatient: true }), application_name: applicationName });
  client.on("error", () => {});
  try {
    await client.connect();
    await settle(client, { isPatient: true });
    // A source stays in one transaction until it is completely read and compared.
    await client.query("SET idle_in_transaction_session_timeout = 0");
    for (
      const giveUpAt = performance.now() + disconnectWithinMs;
      (await countConnections(client)) > 0;
      await delay(100)
    ) {
      if (performance.now() < giveUpAt) continue;
      throw new AppError("store_unusable", `${name} is in use: a Signalbox process is connected to it.`, {
        fix: "Stop the service on every machine first.",
      });
    }
    return await open(client, name);
  } catch (error) {
    await client.end();
    throw toOpenError(error, name);
  }
}

/**
 * Runs `COPY … FROM STDIN` with all bytes in memory. The driver calls the handlers of responses by these names, like
 * those of its own queries.
 */
function copyIn(client: Client, text: string, bytes: Uint8Array): Promise<void> {
  return new Promise((resolve, reject) => {
    let failure: Error | null = null;
    client.query<Submittable & Record<string, unknown>>({
      submit: (connection: Connection) => connection.query(text),
      handleCopyInResponse(connection: CopyConnection) {
        for (let at = 0; at < bytes.length; at += chunkBytes)
          connection.sendCopyFromChunk(bytes.subarray(at, at + chunkBytes));
        connection.endCopyFrom();
      },
      handleCommandComplete() {},
      handleError(error: Error) {
        failure ??= error;
        // The connection is lost: no further message follows.
        if (!("severity" in error)) reject(error);
      },
      handleReadyForQuery: () => (failure ? reject(failure) : resolve()),
    });
  });
}
