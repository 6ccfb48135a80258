import { spawn } from "node:child_process";
import { once } from "node:events";
import {
  copyFileSync,
  cpSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, it } from "vitest";
import { z } from "zod";
import { bundleProgram } from "../../../../scripts/bundle-program.ts";
import { migrationsFolder } from "../../../paths.ts";
import { systemClock } from "../../../ports/clock.ts";
import { silentLogger } from "../../../ports/logger.ts";
import { migrate } from "./migrate.ts";
import { openConnection } from "./open-connection.ts";

/** A migration of a later version, which rebuilds a table that others refer to, and rewrites its rows. */
const later = [
  "CREATE TABLE later (id integer PRIMARY KEY, run integer REFERENCES run (seq))",
  "CREATE TABLE new_step (position integer PRIMARY KEY, run integer NOT NULL REFERENCES run (seq), name text NOT NULL)",
  "INSERT INTO new_step SELECT position, run, name FROM run_step",
  "DROP TABLE run_step",
  "ALTER TABLE new_step RENAME TO run_step",
  "UPDATE delivery SET response_status = response_status + 1",
  "CREATE UNIQUE INDEX run_step_by_name ON run_step (run, name)",
].join(";\n--> statement-breakpoint\n");

const folder = mkdtempSync(join(tmpdir(), "signalbox-migrate-"));
const source = join(folder, "migrations");
const journal = writeSource();

let program: string;
let fresh: unknown;
beforeAll(async () => {
  program = await bundleProgram(join(import.meta.dirname, "../../fixtures/migrate-and-die.ts"));
  const file = join(folder, "fresh.db");
  await migrateTo(file, journal.entries.length);
  fresh = (await readState(file)).schema;
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** The real migrations, and the later one. */
function writeSource() {
  cpSync(migrationsFolder("sqlite"), source, { recursive: true });
  const file = join(source, "meta", "_journal.json");
  const read = z
    .looseObject({ entries: z.array(z.looseObject({ tag: z.string() })) })
    .parse(JSON.parse(readFileSync(file, "utf8")));
  const entries = [...read.entries, { idx: read.entries.length, tag: "9000_later" }];
  writeFileSync(join(source, "9000_later.sql"), later);
  writeFileSync(file, JSON.stringify({ ...read, entries }));
  return { ...read, entries };
}

it.each(journal.entries.map(({ tag }, position) => ({ tag, position })))(
  "$tag: killed at every statement, the old schema is intact, and the next start applies all of the new one",
  async ({ tag, position }) => {
    const old = join(folder, `before-${position}.db`);
    await migrateTo(old, position);
    const before = await readState(old);
    expect(before.applied).toBe(position);
    const statements = readFileSync(join(source, `${tag}.sql`), "utf8").split("--> statement-breakpoint").length;
    const kills = Array.from({ length: statements }, (_, index) => index + 1);
    // Two at a time.
    const next = kills[Symbol.iterator]();
    const work = async () => {
      for (const kill of next) await killAt({ old, position, kill, before });
    };
    await Promise.all([work(), work()]);
  },
);

async function killAt(p: {
  old: string;
  position: number;
  kill: number;
  before: Awaited<ReturnType<typeof readState>>;
}): Promise<void> {
  const file = join(folder, `${p.position}-${p.kill}.db`);
  copyFileSync(p.old, file);
  const child = spawn(process.execPath, [program, file, String(p.kill), source], { stdio: "inherit" });
  const [, signal] = await once(child, "exit");
  expect(signal).toBe("SIGKILL");
  expect(await readState(file)).toEqual(p.before);
  await migrateTo(file, journal.entries.length);
  expect(await readState(file)).toEqual({ schema: fresh, applied: journal.entries.length, damage: "ok" });
  for (const name of readdirSync(folder)) if (name.startsWith(`${p.position}-${p.kill}.db`)) rmSync(join(folder, name));
}

/** A store created by the version that had this many migrations. */
async function migrateTo(file: string, migrations: number): Promise<void> {
  const known = join(folder, `known-${migrations}`);
  mkdirSync(join(known, "meta"), { recursive: true });
  writeFileSync(
    join(known, "meta", "_journal.json"),
    JSON.stringify({ ...journal, entries: journal.entries.slice(0, migrations) }),
  );
  for (const { tag } of journal.entries.slice(0, migrations))
    copyFileSync(join(source, `${tag}.sql`), join(known, `${tag}.sql`));
  const connection = await openConnection(file);
  migrate(connection, { folder: known, clock: systemClock, logger: silentLogger });
  connection.close();
}

async function readState(file: string) {
  const connection = await openConnection(file);
  try {
    const schema: unknown = connection
      .prepare("SELECT type, name, tbl_name, sql FROM sqlite_master ORDER BY type, name")
      .all();
    const hasNotes =
      connection.prepare("SELECT 1 FROM sqlite_master WHERE name = 'schema_migration'").get() !== undefined;
    const applied = hasNotes ? connection.prepare("SELECT count(*) FROM schema_migration").pluck().get() : 0;
    return { schema, applied, damage: connection.pragma("integrity_check", { simple: true }) };
  } finally {
    connection.close();
  }
}
