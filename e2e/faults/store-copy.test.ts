import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { Client, DatabaseError } from "pg";
import { expect, it, onTestFinished } from "vitest";
import { z } from "zod";
import { openStored } from "../../scripts/open-stored.ts";
import { entryFile } from "../../server/paths.ts";
import { planCopy } from "../../server/store/copy/copy-plan.ts";
import { openPostgresStore } from "../../server/store/postgres/open-store.ts";
import { openConnection } from "../../server/store/sqlite/file/open-connection.ts";
import { openSqliteStore } from "../../server/store/sqlite/open-store.ts";
import { aDelivery, aRun } from "../../server/store/testing/factories.ts";
import { fillEveryTable } from "../../server/store/testing/fill-every-table.ts";
import { startPostgres } from "../../server/store/testing/postgres-server.ts";
import { createRandom, auditSeed as seed } from "../auditor/random.ts";

const rowsOfTable = 200;
const kills = 4;
const tables = planCopy().length;
const answerSchema = z.object({
  isContinued: z.boolean(),
  tables: z.array(z.object({ name: z.string(), rows: z.int(), hash: z.string() })),
});

it("copying a store continues after repeated kills, and copies every row once", async () => {
  const random = createRandom(seed);
  const server = await startPostgres();
  const folder = mkdtempSync(join(tmpdir(), "signalbox-copy-kill-"));
  onTestFinished(async () => {
    rmSync(folder, { recursive: true, force: true });
    await server.stop();
  });
  const file = join(folder, "source.db");
  await (await openSqliteStore({ file })).close();
  const source = await openConnection(file);
  fillEveryTable(source, rowsOfTable);
  source.close();
  const reader = openStored(file);
  const expected = reader
    .prepare<[], unknown[]>("SELECT seq, id, hex(body) FROM stored_delivery ORDER BY seq")
    .raw()
    .all();
  reader.close();
  const url = await server.createDatabase("template1");
  const start = () =>
    spawn(
      process.execPath,
      [entryFile("cli"), "store", "copy", "--from", `file://${file}`, "--to", url, "--json", "--project", folder],
      { cwd: folder, stdio: ["ignore", "pipe", "pipe"] },
    );

  const watcher = new Client({ connectionString: url, options: "-c search_path=signalbox" });
  await watcher.connect();
  onTestFinished(() => watcher.end());
  let reached = 0;
  for (let kill = 0; kill < kills; kill += 1) {
    const child = start();
    const exit = once(child, "exit");
    // The last one hits while both are compared.
    reached = await untilCopied(
      watcher,
      child,
      kill === kills - 1 ? "all" : reached + random.between(1, rowsOfTable * 4),
    );
    child.kill("SIGKILL");
    expect(await exit, `AUDIT_SEED=${seed}`).toEqual([null, "SIGKILL"]);
    await expect(openPostgresStore({ url })).rejects.toMatchObject({
      fix: expect.stringMatching(/Run the same `signalbox store copy` again/),
    });
  }

  const last = start();
  const [stdout, stderr] = await Promise.all([text(last.stdout), text(last.stderr)]);
  const answer = answerSchema.parse(JSON.parse(stdout || JSON.stringify(stderr)));
  expect(answer.isContinued).toBe(true);
  expect(answer.tables.map(({ rows }) => rows)).toEqual(answer.tables.map(() => rowsOfTable));
  // Read by neither of them.
  const { rows } = await watcher.query({
    text: "SELECT position, id, upper(encode(body, 'hex')) FROM delivery ORDER BY position",
    rowMode: "array",
  });
  const plain = rows.map(([position, ...row]: unknown[]) => [Number(position), ...row]);
  expect(plain.map(([position, id, body]) => [position, id, body ?? ""])).toEqual(expected);
  const store = await openPostgresStore({ url });
  const delivery = aDelivery();
  expect(
    await store.acceptDelivery({ delivery, runs: [aRun({ deliveryId: delivery.id })], idempotency: null }),
  ).toEqual({ kind: "accepted" });
  await store.close();
});

const noteSchema = z.object({ rows: z.int(), isWhole: z.boolean() });

/** Resolves with the rows of the target, as soon as it has this number, or every table is complete. */
async function untilCopied(watcher: Client, child: ChildProcess, wanted: number | "all"): Promise<number> {
  for (;;) {
    if (child.exitCode !== null) throw new Error(`The copy has ended with ${child.exitCode} before it was killed.`);
    const notes = await readNotes(watcher);
    const rows = notes.reduce((sum, note) => sum + note.rows, 0);
    const isWhole = notes.length === tables && notes.every((note) => note.isWhole);
    if (isWhole || (wanted !== "all" && rows >= wanted)) return rows;
  }
}

/** Of the tables that were begun. */
async function readNotes(watcher: Client): Promise<z.infer<typeof noteSchema>[]> {
  try {
    const { rows } = await watcher.query<{ value: string }>("SELECT value FROM store_copy WHERE name <> ''");
    return rows.map(({ value }) => noteSchema.parse(JSON.parse(value)));
  } catch (error) {
    // It has not begun.
    if (error instanceof DatabaseError && error.code === "42P01") return [];
    throw error;
  }
}
