import type { Logger } from "../../../server/ports/logger.ts";
import type { CliCommand } from "../cli-command.ts";
import type { CommandContext, CommandRunner } from "../command-context.ts";
import { plural } from "../text-events.ts";
import { readDatabaseOption } from "./database-option.ts";

export function registerStoreMigrate(store: CliCommand, runner: CommandRunner): void {
  store
    .subcommand("migrate", "Migrate the store to the schema of this version, as each start does", [
      "signalbox store migrate",
      "signalbox store migrate --to postgres://owner@db.internal/signalbox",
    ])
    .option("--to <url>", "Store to migrate (default: DATABASE_URL, signalbox.config.ts)")
    .action(runner.action(migrate));
}

async function migrate(context: CommandContext, { to }: { to?: string }): Promise<void> {
  const { projectDir } = context;
  const [{ readBuiltSettings }, { migrateStore }, { systemClock }] = await Promise.all([
    import("../../../server/main.ts"),
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
        : `${mark} ${store} is up to date: ${plural(applied.length, "migration")} applied (${applied.join(", ")}).\n`;
    },
  });
}

/** Reports progress to a person, because a large store takes long. */
function createTerminalLogger({ isJson, notify }: CommandContext): Logger {
  const say = (message: string) => void (isJson || notify(message));
  return { debug() {}, info: say, warn: say, error: say };
}
