import { isDeepStrictEqual } from "node:util";
import { readDatabaseUrl, type Settings } from "../../../server/config.ts";
import { SettingsError } from "../../../server/config/environment.ts";
import { formatCount, formatDuration } from "../../../server/shared/format.ts";
import type { Logger } from "../../../server/ports/logger.ts";
import { usageFailure } from "../../terminal/failure.ts";
import { createProgressLine } from "../../terminal/progress-line.ts";
import { renderTable } from "../../terminal/table.ts";
import type { CliCommand } from "../cli-command.ts";
import type { CommandContext, CommandRunner } from "../command-context.ts";
import { findOwnStore } from "./own-store.ts";

export function registerStoreCopy(store: CliCommand, runner: CommandRunner): void {
  store
    .subcommand("copy", "Copy a complete store into an empty one. Stop the service first", [
      "signalbox store copy --from file:./.signalbox/signalbox.db --to postgres://signalbox@db.internal/signalbox",
    ])
    .requiredOption("--from <url>", "Source store: file:… or postgres://…")
    .requiredOption("--to <url>", "Target store: empty, or with the interrupted copy to continue")
    .action(runner.action(copy));
}

async function copy(context: CommandContext, urls: { from: string; to: string }): Promise<void> {
  const from = readDatabaseOption("--from", urls.from, context.projectDir);
  const to = readDatabaseOption("--to", urls.to, context.projectDir);
  if (isDeepStrictEqual(from, to)) throw usageFailure("--from and --to name the same store.");
  const { copyStore } = await import("../../../server/store/copy/copy-store.ts");
  const progress = createProgressLine(context.terminal.err, context.now);
  const began = context.now();
  const copied = await copyStore({
    from,
    to,
    onProgress({ stage, table, rows, ofRows }) {
      if (!context.isJson) progress.show({ label: `${stage} ${table}`, done: rows, of: ofRows });
    },
  }).finally(progress.clear);
  const { out } = context.terminal;
  context.print({
    document: copied,
    text: () => {
      const rows = copied.tables.map((table) => [table.name, String(table.rows), table.hash]);
      const total = copied.tables.reduce((sum, table) => sum + table.rows, 0);
      return `${renderTable({ headings: ["TABLE", "ROWS", "HASH (SAME IN BOTH)"], rows, paint: out.paint })}${out.paint("good", "✓")} Copied ${copied.from} to ${copied.to}: ${formatCount(total, "row")}, compared one by one, in ${formatDuration(context.now() - began)}.\n`;
    },
  });
  if (context.isJson) return;
  if (copied.isContinued) context.notify("Continued an interrupted copy.");
  if (copied.changedRows > 0)
    context.notify(
      `${formatCount(copied.changedRows, "row")} had a string with a lone surrogate, which SQLite cannot store. U+FFFD replaces it.`,
    );
  context.notify(
    "Start the service with SIGNALBOX_DATABASE_URL set to the copy, and with the same SIGNALBOX_SECRET. Without it, keys still work, but cannot be shown again.",
  );
}

/** The database of `--from` or `--to`. Throws a usage Failure. */
function readDatabaseOption(name: string, url: string, projectDir: string): Settings["database"] {
  try {
    return readDatabaseUrl(url, projectDir, name);
  } catch (error) {
    if (error instanceof SettingsError) throw usageFailure(error.message);
    throw error;
  }
}

export function registerStoreMigrate(store: CliCommand, runner: CommandRunner): void {
  store
    .subcommand("migrate", "Migrate the store to the schema of this version, as each start does", [
      "signalbox store migrate",
      "signalbox store migrate --to postgres://owner@db.internal/signalbox",
    ])
    .option("--to <url>", "Store to migrate (default: SIGNALBOX_DATABASE_URL, signalbox.config.ts)")
    .action(runner.action(migrate));
}

async function migrate(context: CommandContext, { to }: { to?: string }): Promise<void> {
  const { projectDir } = context;
  const [{ readBuiltSettings }, { migrateStore }, { systemClock }] = await Promise.all([
    import("../../../server/project/read-built-settings.ts"),
    import("../../../server/store/migrate-store.ts"),
    import("../../../server/ports/clock.ts"),
  ]);
  const database =
    to === undefined
      ? (await readBuiltSettings({ projectDir, mode: "deployed" })).database
      : readDatabaseOption("--to", to, projectDir);
  const migrated = await migrateStore({ database, clock: systemClock, logger: createTerminalLogger(context) });
  const { store, applied, at } = migrated;
  context.print({
    document: migrated,
    text: () => {
      const mark = context.terminal.out.paint("good", "✓");
      return applied.length === 0
        ? `${mark} ${store} is up to date (${at}). No migrations were pending.\n`
        : `${mark} ${store} is up to date: ${formatCount(applied.length, "migration")} applied (${applied.join(", ")}).\n`;
    },
  });
}

export function registerStoreReindex(store: CliCommand, runner: CommandRunner): void {
  store
    .subcommand("reindex", "Rebuild the list index of the SQLite store", ["signalbox store reindex"])
    .action(runner.action(reindex));
}

async function reindex(context: CommandContext): Promise<void> {
  const { file } = await findOwnStore(context.projectDir, "store reindex");
  const { reindexFile } = await import("../../../server/store/sqlite/file/reindex-file.ts");
  const began = context.now();
  const rows = await reindexFile(file);
  context.print({
    document: { file, rows },
    text: () =>
      `${context.terminal.out.paint("good", "✓")} Rebuilt the list index of ${file}: ${formatCount(rows, "row")} in ${formatDuration(context.now() - began)}.\n`,
  });
}

/** Reports progress to a person, because a large store takes long. */
function createTerminalLogger({ isJson, notify }: CommandContext): Logger {
  const say = (message: string) => void (isJson || notify(message));
  return { debug() {}, info: say, warn: say, error: say };
}
