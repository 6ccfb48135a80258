import { readClientSettings } from "../../api/running-server.ts";
import { existsSync } from "node:fs";
import { dirname } from "node:path";
import { z } from "zod";
import { hasSecret, readSecret, type Settings } from "../../../server/config.ts";
import { SettingsError } from "../../../server/config/environment.ts";
import { keySchema } from "../../../server/contract/access/key.ts";
import { AppError } from "../../../server/contract/app-error.ts";
import { driftReportSchema } from "../../../server/contract/drift.ts";
import type { Manifest } from "../../../server/contract/project/manifest.ts";
import type { RunSummary } from "../../../server/contract/run.ts";
import { isReachableFromElsewhere } from "../../../server/domain/requests/local-request.ts";
import { readDisk } from "../../../server/ports/disk.ts";
import { listKeptVersions, ProjectError, readManifest } from "../../../server/project/read-manifest.ts";
import { limitsOf } from "../../../server/domain/runs/run-limits.ts";
import { latestTargetsOf } from "../../../server/domain/runs/run-builds.ts";
import type { StoreContents, WantedContents } from "../../../server/store/shared/store-contents.ts";
import { maxBytesOf } from "../../../server/upkeep/size-limit.ts";
import { Failure } from "../../terminal/failure.ts";
import { plainText } from "../../terminal/plain-text.ts";
import type { Paint } from "../../terminal/terminal.ts";
import type { CliCommand } from "../cli-command.ts";
import type { CommandContext, CommandRunner } from "../command-context.ts";
import { readDeliveries } from "../deliveries/list.ts";
import { readRuns } from "../runs/read-runs.ts";
import { findOwnSettings } from "../store/own-store.ts";
import { triggersAnswer } from "../triggers/trigger-answers.ts";
import { bad, type Check, ok, warn } from "./check.ts";
import { checkAccess } from "./check-access.ts";
import { checkEndpoint, type EndpointFacts, findEndpoint } from "./check-endpoint.ts";
import { checkEncryption } from "./check-encryption.ts";
import { checkAddress, checkFolder } from "./check-machine.ts";
import { checkPostgres } from "./check-postgres.ts";
import { checkSqlite } from "./check-sqlite.ts";

export function registerDoctor(program: CliCommand, runner: CommandRunner): void {
  program
    .subcommand("doctor", "Check the service and print a fix for each problem. Changes nothing", [
      "signalbox doctor",
      "signalbox doctor billing",
    ])
    .argument("[endpoint]", "An endpoint or a trigger: find the first reason why its webhooks start no runs")
    .action(
      runner.action((context: CommandContext, endpoint: string | undefined) =>
        endpoint === undefined ? doctor(context) : diagnoseEndpoint(context, endpoint),
      ),
    );
}

const marks = { ok: ["good", "✓"], warn: ["warn", "!"], bad: ["bad", "✗"] } as const;

async function doctor(context: CommandContext): Promise<number> {
  const checks = [ok("node", process.version), ...(await checkProject(context))];
  const isHealthy = checks.every(({ state }) => state !== "bad");
  context.print({ document: { ok: isHealthy, checks }, text: () => renderChecks(checks, context.terminal.out.paint) });
  return isHealthy ? 0 : 1;
}

function renderChecks(checks: readonly Check[], paint: Paint): string {
  const lineOf = ({ name, state, message, fix }: Check) => {
    const [tone, mark] = marks[state];
    return `${paint(tone, mark)} ${name}: ${plainText(message)}${fix ? paint("dim", ` → ${plainText(fix)}`) : ""}\n`;
  };
  return checks.map(lineOf).join("");
}

/** Walks from the URL to the runs, and stops at the first broken link. Also for a service at SIGNALBOX_URL. */
async function diagnoseEndpoint(context: CommandContext, asked: string): Promise<number> {
  const checks = checkEndpoint(await readEndpointFacts(context, asked));
  const broken = checks.find(({ state }) => state === "bad") ?? null;
  context.print({
    document: { ok: broken === null, broken: broken?.name ?? null, checks },
    text: () => renderChecks(checks, context.terminal.out.paint),
  });
  if (!context.isJson) context.notify(summarize(checks, broken));
  return broken ? 1 : 0;
}

function summarize(checks: readonly Check[], broken: Check | null): string {
  if (broken) return `The first broken link is ${broken.name}.`;
  const warned = checks.filter(({ state }) => state === "warn").map(({ name }) => name);
  const none = "No link from the URL to the runs is broken.";
  return warned.length === 0 ? none : `${none} There is a warning: ${warned.join(", ")}.`;
}

const keysAnswer = z.object({ data: z.array(keySchema) });
const maxTriggers = 10;

async function readEndpointFacts(context: CommandContext, asked: string): Promise<EndpointFacts> {
  const needsKey = await needsKeyAt(context);
  const api = await context.api();
  const { data: triggers } = await api.request({ path: "/triggers", answer: triggersAnswer });
  const endpoint = findEndpoint({ asked, triggers });
  const slugs = new Set(triggers.flatMap((trigger) => (trigger.endpoint === endpoint ? [trigger.slug] : [])));
  const keys = needsKey
    ? await api.request({ path: "/keys", answer: keysAnswer }).catch((error: unknown) => {
        if (error instanceof Failure && error.details.code === "forbidden") return null;
        throw error;
      })
    : null;
  const runs: RunSummary[] = [];
  for (const trigger of [...slugs].slice(0, maxTriggers))
    runs.push(...(await readRuns(api, { trigger, limit: 20 })).data);
  return {
    asked,
    triggers,
    keys: keys?.data ?? null,
    needsKey,
    deliveries: endpoint === null ? [] : (await readDeliveries(api, { endpoint, limit: 20 })).data,
    unknown: endpoint === null ? [] : (await readDeliveries(api, { status: 404, limit: 100 })).data,
    drift:
      endpoint === null
        ? []
        : (await api.request({ path: "/drift", query: { endpoint }, answer: driftReportSchema })).data,
    runs: runs.sort((a, b) => (a.createdAt < b.createdAt ? 1 : -1)).slice(0, 20),
    now: context.now(),
  };
}

/** A service at SIGNALBOX_URL is deployed. */
async function needsKeyAt({ projectDir }: CommandContext): Promise<boolean> {
  if (readClientSettings()) return true;
  const { settings } = await findOwnSettings(projectDir, "doctor");
  return settings.mode === "deployed" || isReachableFromElsewhere(settings);
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
  const manifest = await readManifest(settings.stateDir);
  const checks = [
    ok("settings", `valid, for ${projectDir}`),
    running
      ? ok("service", `running on ${running.url} (process ${running.pid})`)
      : ok("service", "not running on this machine"),
    ...checkAddress(settings),
    ...(manifest ? [await checkBuild(settings.stateDir, manifest)] : []),
  ];
  try {
    const wanted = { now: now(), limits: new Map(manifest ? limitsOf(manifest) : []) };
    const { checks: ofStore, contents } = await inspectStore(settings, wanted);
    checks.push(...ofStore);
    if (!contents) return [...checks, ...checkEncryption(settings.encryption, { contentKeys: [], oldestAt: null })];
    checks.push(...checkEncryption(settings.encryption, contents));
    const { createKeyCipher } = await import("../../../server/auth/keys/service-secret.ts");
    const openKey = hasSecret(settings.stateDir) ? createKeyCipher(readSecret(settings.stateDir)).open : null;
    return [
      ...checks,
      ...checkAccess({
        contents,
        now: wanted.now,
        triggers: manifest?.triggers ?? [],
        mode: settings.mode,
        needsKeys: settings.mode === "deployed" || isReachableFromElsewhere(settings),
        isRunning: running !== null,
        keptVersions: await listKeptVersions(settings.stateDir),
        latestTargets: new Set(manifest ? latestTargetsOf(manifest, settings.mode) : []),
        openKey,
      }),
    ];
  } catch (error) {
    if (error instanceof AppError)
      return [...checks, bad("store", error.message, error.fix ?? "See docs/failures.md.")];
    throw error;
  }
}

/** Whether a service can start with the build. */
async function checkBuild(stateDir: string, manifest: Manifest): Promise<Check> {
  const { loadSources } = await import("../../../server/project/project-reader.ts");
  try {
    await loadSources(stateDir, manifest);
    return ok("build", `version ${manifest.version} loads`);
  } catch (error) {
    if (error instanceof ProjectError) return bad("build", error.message, "The service cannot start with this build.");
    throw error;
  }
}

interface StoreChecks {
  checks: Check[];
  /** `null`: there is no store yet. */
  contents: StoreContents | null;
}

function inspectStore(settings: Settings, wanted: WantedContents): Promise<StoreChecks> {
  const { database, retention } = settings;
  const hasRetention = retention.days !== null || retention.deliveries !== null;
  return database.kind === "sqlite"
    ? inspectSqliteStore(database.file, { settings, hasRetention, wanted })
    : inspectPostgresStore(database.directUrl ?? database.url, { stateDir: settings.stateDir, hasRetention, wanted });
}

async function inspectSqliteStore(
  file: string,
  {
    settings: { stateDir, retention },
    hasRetention,
    wanted,
  }: { settings: Settings; hasRetention: boolean; wanted: WantedContents },
): Promise<StoreChecks> {
  const folder = dirname(file);
  const checks = existsSync(folder) ? checkFolder(folder) : [];
  const { inspectDatabase } = await import("../../../server/store/sqlite/file/inspect-database.ts");
  const { findStoreLoss } = await import("../../../server/composition/known-store.ts");
  const loss = findStoreLoss(file, stateDir);
  if (loss) return { checks: [...checks, bad("store", loss.message, loss.fix)], contents: null };
  const facts = inspectDatabase(file, wanted);
  if (!facts)
    return {
      checks: [...checks, warn("store", `does not exist yet (${file})`, "The first start creates it.")],
      contents: null,
    };
  const { totalBytes } = await readDisk(folder);
  const maxBytes = retention.maxSize === null ? null : maxBytesOf(retention.maxSize, totalBytes);
  return { checks: [...checks, ...checkSqlite(facts, { file, hasRetention, maxBytes })], contents: facts.contents };
}

async function inspectPostgresStore(
  url: string,
  { stateDir, hasRetention, wanted }: { stateDir: string; hasRetention: boolean; wanted: WantedContents },
): Promise<StoreChecks> {
  const [{ inspectPostgres }, { deriveSecretFingerprint }] = await Promise.all([
    import("../../../server/store/postgres/inspect-database.ts"),
    import("../../../server/auth/keys/service-secret.ts"),
  ]);
  const facts = await inspectPostgres(url, wanted);
  const fingerprint = hasSecret(stateDir) ? deriveSecretFingerprint(readSecret(stateDir)) : null;
  return { checks: checkPostgres(facts, { fingerprint, hasRetention }), contents: facts.contents };
}
