import { existsSync } from "node:fs";
import { dirname } from "node:path";
import { hasSecret, readSecret, type Settings, SettingsError } from "../../../server/config.ts";
import { AppError } from "../../../server/contract/app-error.ts";
import { formatBytes, formatCount } from "../../../server/domain/format.ts";
import { isReachableFromElsewhere } from "../../../server/domain/local-request.ts";
import { ProjectError } from "../../../server/project/project-error.ts";
import type { StoreContents } from "../../../server/store/shared/store-contents.ts";
import type { DatabaseFacts } from "../../../server/store/sqlite/inspect-database.ts";
import { plainText } from "../../terminal/plain-text.ts";
import type { CliCommand } from "../cli-command.ts";
import type { CommandContext, CommandRunner } from "../command-context.ts";
import { findOwnSettings } from "../find-own-store.ts";
import { bad, type Check, ok, warn } from "./check.ts";
import { judgeAccess } from "./judge-access.ts";
import { judgeAddress, judgeFolder } from "./judge-machine.ts";
import { judgePostgres } from "./judge-postgres.ts";

const longLogBytes = 256 * 1024 * 1024;
const largeBytes = 1_000_000_000;

export function registerDoctor(program: CliCommand, runner: CommandRunner): void {
  program
    .subcommand("doctor", "Check the service and print a fix for each problem. Changes nothing", ["signalbox doctor"])
    .action(runner.action(doctor));
}

const marks = { ok: ["good", "✓"], warn: ["warn", "!"], bad: ["bad", "✗"] } as const;

async function doctor(context: CommandContext): Promise<number> {
  const checks = [ok("node", process.version), ...(await checkProject(context))];
  const { paint } = context.terminal.out;
  const lineOf = ({ name, state, message, fix }: Check) => {
    const [tone, mark] = marks[state];
    return `${paint(tone, mark)} ${name}: ${plainText(message)}${fix ? paint("dim", ` → ${plainText(fix)}`) : ""}\n`;
  };
  const isHealthy = checks.every(({ state }) => state !== "bad");
  context.print({ document: { ok: isHealthy, checks }, text: () => checks.map(lineOf).join("") });
  return isHealthy ? 0 : 1;
}

async function checkProject(context: CommandContext): Promise<Check[]> {
  try {
    return await runChecks(context);
  } catch (error) {
    if (error instanceof SettingsError || error instanceof ProjectError)
      return [bad("settings", error.message, "Fix this first: the other checks need valid settings.")];
    throw error;
  }
}

async function runChecks({ projectDir, now }: CommandContext): Promise<Check[]> {
  const { settings, running } = await findOwnSettings(projectDir, "doctor");
  const checks = [
    ok("settings", `valid, for ${projectDir}`),
    running
      ? ok("service", `running on ${running.url} (process ${running.pid})`)
      : ok("service", "not running on this machine"),
    ...judgeAddress(settings),
  ];
  try {
    const { checks: ofStore, contents } = await checkStore(settings);
    checks.push(...ofStore);
    if (!contents) return checks;
    const [{ readManifest }, { createKeyCipher }] = await Promise.all([
      import("../../../server/project/read-manifest.ts"),
      import("../../../server/auth/keys/service-secret.ts"),
    ]);
    const openKey = hasSecret(settings.stateDir) ? createKeyCipher(readSecret(settings.stateDir)).open : null;
    const triggers = (await readManifest(settings.stateDir))?.triggers ?? [];
    return [
      ...checks,
      ...judgeAccess({
        contents,
        now: now(),
        triggers,
        mode: settings.mode,
        needsKeys: settings.mode === "deployed" || isReachableFromElsewhere(settings),
        isRunning: running !== null,
        openKey,
      }),
    ];
  } catch (error) {
    if (error instanceof AppError) return [...checks, bad("store", error.message, "See docs/failures.md.")];
    throw error;
  }
}

interface StoreChecks {
  checks: Check[];
  /** `null`: there is no store yet. */
  contents: StoreContents | null;
}

function checkStore(settings: Settings): Promise<StoreChecks> {
  const { database, retention } = settings;
  const hasRetention = retention.days !== null || retention.deliveries !== null;
  return database.kind === "sqlite"
    ? checkSqlite(database.file, hasRetention)
    : checkPostgres(database.url, { stateDir: settings.stateDir, hasRetention });
}

async function checkSqlite(file: string, hasRetention: boolean): Promise<StoreChecks> {
  const folder = dirname(file);
  const checks = existsSync(folder) ? judgeFolder(folder) : [];
  const { inspectDatabase } = await import("../../../server/store/sqlite/inspect-database.ts");
  const facts = inspectDatabase(file);
  if (!facts)
    return {
      checks: [...checks, warn("store", `does not exist yet (${file})`, "The first start creates it.")],
      contents: null,
    };
  return { checks: [...checks, ...judgeStore(facts, { file, hasRetention })], contents: facts.contents };
}

async function checkPostgres(url: string, p: { stateDir: string; hasRetention: boolean }): Promise<StoreChecks> {
  const [{ inspectPostgres }, { deriveSecretFingerprint }] = await Promise.all([
    import("../../../server/store/postgres/inspect-database.ts"),
    import("../../../server/auth/keys/service-secret.ts"),
  ]);
  const facts = await inspectPostgres(url);
  const fingerprint = hasSecret(p.stateDir) ? deriveSecretFingerprint(readSecret(p.stateDir)) : null;
  return { checks: judgePostgres(facts, { fingerprint, hasRetention: p.hasRetention }), contents: facts.contents };
}

/** Checks of the SQLite file. */
export function judgeStore(facts: DatabaseFacts, p: { file: string; hasRetention: boolean }): Check[] {
  const { damage, pendingMigrations, journalMode, fileBytes, logBytes, freeBytes } = facts;
  const store = damage
    ? bad(
        "store",
        `${p.file} is damaged: ${damage}`,
        "Keep a copy of it with its -wal, then restore a backup with `signalbox restore`.",
      )
    : ok("store", `${p.file} opens, and its pages are intact (${formatBytes(fileBytes)})`);
  const schema =
    pendingMigrations > 0
      ? warn(
          "schema",
          formatCount(pendingMigrations, "pending migration"),
          "The next start applies them. Create a backup first: `signalbox backup <file>`.",
        )
      : ok("schema", "up to date");
  const log =
    logBytes > longLogBytes
      ? warn(
          "log",
          `the write-ahead log has grown to ${formatBytes(logBytes)}`,
          "A long read (a backup, another program) blocks its truncation. It shrinks when the read ends.",
        )
      : ok("log", `${journalMode}, ${formatBytes(logBytes)}`);
  return [store, schema, log, judgeRoom(facts), judgeRetention(fileBytes - freeBytes, p.hasRetention)];
}

function judgeRoom({ fileBytes, freeBytes, givesRoomBack }: DatabaseFacts): Check {
  const text = `${formatBytes(freeBytes)} of the file are unused`;
  if (givesRoomBack || freeBytes < fileBytes / 4) return ok("free space", `${text} and will be reused`);
  return warn(
    "free space",
    `${text}; an older version created the file, so it does not shrink`,
    'Stop the service, then: sqlite3 <file> "PRAGMA auto_vacuum = INCREMENTAL; VACUUM;"',
  );
}

function judgeRetention(usedBytes: number, hasRetention: boolean): Check {
  if (hasRetention) return ok("retention", "old deliveries are removed");
  if (usedBytes < largeBytes) return ok("retention", "deliveries are kept permanently");
  return warn(
    "retention",
    `deliveries are kept permanently: ${formatBytes(usedBytes)} so far`,
    "Set retentionDays in signalbox.config.ts, or SIGNALBOX_RETENTION_DAYS.",
  );
}
