import { existsSync } from "node:fs";
import { dirname } from "node:path";
import { hasSecret, readSecret, type Settings, SettingsError } from "../../../server/config.ts";
import { AppError } from "../../../server/contract/app-error.ts";
import { isReachableFromElsewhere } from "../../../server/domain/requests/local-request.ts";
import { ProjectError } from "../../../server/project/read-manifest.ts";
import type { StoreContents } from "../../../server/store/shared/store-contents.ts";
import { plainText } from "../../terminal/plain-text.ts";
import type { CliCommand } from "../cli-command.ts";
import type { CommandContext, CommandRunner } from "../command-context.ts";
import { findOwnSettings } from "../store/own-store.ts";
import { bad, type Check, ok, warn } from "./check.ts";
import { checkAccess } from "./check-access.ts";
import { checkAddress, checkFolder } from "./check-machine.ts";
import { checkPostgres } from "./check-postgres.ts";
import { checkSqlite } from "./check-sqlite.ts";

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
    ...checkAddress(settings),
  ];
  try {
    const { checks: ofStore, contents } = await inspectStore(settings);
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
      ...checkAccess({
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
    if (error instanceof AppError)
      return [...checks, bad("store", error.message, error.fix ?? "See docs/failures.md.")];
    throw error;
  }
}

interface StoreChecks {
  checks: Check[];
  /** `null`: there is no store yet. */
  contents: StoreContents | null;
}

function inspectStore(settings: Settings): Promise<StoreChecks> {
  const { database, retention } = settings;
  const hasRetention = retention.days !== null || retention.deliveries !== null;
  return database.kind === "sqlite"
    ? inspectSqliteStore(database.file, hasRetention)
    : inspectPostgresStore(database.directUrl ?? database.url, { stateDir: settings.stateDir, hasRetention });
}

async function inspectSqliteStore(file: string, hasRetention: boolean): Promise<StoreChecks> {
  const folder = dirname(file);
  const checks = existsSync(folder) ? checkFolder(folder) : [];
  const { inspectDatabase } = await import("../../../server/store/sqlite/inspect-database.ts");
  const facts = inspectDatabase(file);
  if (!facts)
    return {
      checks: [...checks, warn("store", `does not exist yet (${file})`, "The first start creates it.")],
      contents: null,
    };
  return { checks: [...checks, ...checkSqlite(facts, { file, hasRetention })], contents: facts.contents };
}

async function inspectPostgresStore(url: string, p: { stateDir: string; hasRetention: boolean }): Promise<StoreChecks> {
  const [{ inspectPostgres }, { deriveSecretFingerprint }] = await Promise.all([
    import("../../../server/store/postgres/inspect-database.ts"),
    import("../../../server/auth/keys/service-secret.ts"),
  ]);
  const facts = await inspectPostgres(url);
  const fingerprint = hasSecret(p.stateDir) ? deriveSecretFingerprint(readSecret(p.stateDir)) : null;
  return { checks: checkPostgres(facts, { fingerprint, hasRetention: p.hasRetention }), contents: facts.contents };
}
