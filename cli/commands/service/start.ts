import { readLogLevel, serviceUrl, type Settings, type SettingsFlags } from "../../../server/config.ts";
import { describeStore } from "../../../server/config/describe-store.ts";
import { ignoredVariables } from "../../../server/config/environment.ts";
import { isOwnAddress } from "../../../server/config/own-address.ts";
import type { Manifest } from "../../../server/contract/project/manifest.ts";
import type { RunStatus } from "../../../server/contract/run.ts";
import { isEnded } from "../../../server/shared/runs/run-state.ts";
import { type Logger, targetLogFields } from "../../../server/ports/logger.ts";
import type { LocalApi } from "../../../server/processes/web/fork-local-api.ts";
import type { Terminal } from "../../terminal/terminal.ts";
import { type CommandContext, type CommandRunner, isWatched } from "../command-context.ts";
import { createJsonEvents, type ServiceEvents } from "./service-events.ts";
import { renderReady } from "./text-events.ts";
import { createApiClient } from "../../api/api-client.ts";
import type { CliCommand } from "../cli-command.ts";
import { checkOpenRuns, summarizeOpenRuns } from "../builds/open-runs.ts";
import { createFirstKey } from "../keys/create.ts";
import { parsePort, parseRole, type Role } from "../options.ts";
import { invitationAnswer, peopleAnswer } from "../people.ts";
import { startService, startWeb, toStartFailure } from "./start-service.ts";
import { untilStopped } from "./until-stopped.ts";

export function registerStart(program: CliCommand, runner: CommandRunner): void {
  program
    .subcommand("start", "Serve the last build. Webhooks need a key", [
      "signalbox build && signalbox start",
      "signalbox start --port 8080",
      "signalbox start --role web",
    ])
    .option("--port <port>", "Port to listen on (default: PORT, signalbox.config.ts, 3000)", parsePort)
    .option(
      "--role <role>",
      "web receives webhooks and serves the app, worker executes runs, all does both. web and worker need Postgres (default: all)",
      parseRole,
    )
    .option("--new-secret", "Accept a SIGNALBOX_SECRET that you changed on purpose (Postgres only)")
    .action(runner.action(start));
}

async function start(
  context: CommandContext,
  { port, role = "all", newSecret }: { port?: number; role?: Role; newSecret?: boolean },
): Promise<void> {
  if (role === "worker") return work(context, {});
  const { projectDir } = context;
  const { settings, manifest, logger, events } = await readDeployed(context, port === undefined ? {} : { port });
  const [{ forkLocalApi }, { requireSharedStore }] = await Promise.all([
    import("../../../server/processes/web/fork-local-api.ts"),
    import("../../../server/processes/require-shared-store.ts"),
  ]);
  if (role === "web") requireSharedStore(settings, "`signalbox start --role web`");

  if (settings.encryption.isOn && settings.encryption.keys.length === 0) {
    const { describeMissingKey } = await import("../../../server/composition/open-configured-store.ts");
    throw await describeMissingKey(settings);
  }

  const url = serviceUrl(settings, settings.port);
  const local = await forkLocalApi({ projectDir, url, isReplacingSecret: newSecret ?? false });
  const stopped = untilStopped();
  let service: Awaited<ReturnType<typeof startWeb>>;
  try {
    const keyId = await createFirstKey(createApiClient((request) => local.fetch(request)));
    if (keyId)
      events.notice(
        "info",
        `Created the first webhook key (${keyId}). \`signalbox triggers url <slug>\` prints a URL with it.`,
      );
    // Before workers continue these runs.
    await reportOpenRuns({ local, settings, manifest, events });
    service = await (role === "web" ? startWeb : startService)({
      settings,
      reporter: events,
      logger,
      now: context.now(),
    });
    events.ready({
      mode: "deployed",
      url: service.url,
      localUrl: service.localUrl,
      store: describeStore(settings),
      manifest,
      warnings: [],
    });
    // The service is up, so an unavailable store must not end it now.
    await showSetupLink(context, { local, url: service.url, events }).catch((error: unknown) =>
      events.notice("warn", `Cannot check for accounts: ${error instanceof Error ? error.message : String(error)}`),
    );
  } finally {
    await local.close();
  }
  await stopped;
  events.stopping();
  await service.close();
}

/** Runs that do not fit the build are reported while they can still be helped. */
async function reportOpenRuns(service: {
  local: LocalApi;
  settings: Settings;
  manifest: Manifest;
  events: ServiceEvents;
}): Promise<void> {
  const api = createApiClient((request) => service.local.fetch(request));
  try {
    const check = await checkOpenRuns(api, service.manifest);
    const misfits = summarizeOpenRuns(check);
    if (misfits) service.events.notice(check.failing > 0 ? "warn" : "info", misfits);
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    service.events.notice("warn", `Open runs were not compared with the build: ${reason}`);
  }
}

/**
 * Without accounts, each start shows how the first admin joins. The link is shown only at a terminal, because others
 * may read a log.
 */
async function showSetupLink(
  context: CommandContext,
  { local, url, events }: { local: LocalApi; url: string; events: ServiceEvents },
): Promise<void> {
  const api = createApiClient((request) => local.fetch(request, { serviceUrl: url }));
  if ((await api.request({ path: "/people", answer: peopleAnswer })).data.length > 0) return;
  if (!isWatched(context))
    return events.notice(
      "warn",
      "There are no accounts yet. Run `signalbox people setup-link` on this machine to create a link for the first admin.",
    );
  const link = await api.request({ method: "POST", path: "/setup-links", answer: invitationAnswer });
  context.notify(
    `There are no accounts yet. Create the account of the first admin with this link. It works once, within an hour:\n  ${link.url}\n\`signalbox people setup-link\` creates another.\n`,
  );
}

export function registerWorker(program: CliCommand, runner: CommandRunner): void {
  program
    .subcommand("worker", "Execute runs that other machines accepted. All machines share a Postgres store", [
      "signalbox worker",
      "SIGNALBOX_WORKERS=4 signalbox worker --health-port 3001",
    ])
    .option("--health-port <port>", "Serve GET /healthz and /readyz on this port (default: no port)", parsePort)
    .action(runner.action(work));
}

/** Runs workers without a web process until SIGINT or SIGTERM. */
async function work(context: CommandContext, { healthPort }: { healthPort?: number }): Promise<void> {
  const { settings, manifest, logger, events } = await readDeployed(context, {});
  const { startWorkers } = await import("../../../server/processes/start-workers.ts");
  const stopped = untilStopped();
  const workers = await startWorkers({ settings, reporter: events, logger, healthPort: healthPort ?? null }).catch(
    (error: unknown) => {
      throw toStartFailure(error);
    },
  );
  events.working({ manifest, store: describeStore(settings), healthPort: workers.healthPort });
  await stopped;
  events.stopping();
  await workers.close();
}

/** The last build with its settings, and the log and events of a deployed service. Throws SettingsError without a build. */
async function readDeployed(
  context: CommandContext,
  flags: SettingsFlags,
): Promise<{ settings: Settings; manifest: Manifest; logger: Logger; events: ServiceEvents }> {
  const [{ readBuiltSettings }, { createLogger }, { readManifest }] = await Promise.all([
    import("../../../server/project/read-built-settings.ts"),
    import("../../../server/logging.ts"),
    import("../../../server/project/read-manifest.ts"),
  ]);
  const settings = await readBuiltSettings({ projectDir: context.projectDir, mode: "deployed", flags });
  const manifest = await readManifest(settings.stateDir);
  if (!manifest) throw new Error("The build was removed while it was read.");
  const logger = createLogger({ mode: "deployed", level: readLogLevel("deployed"), process: "supervisor" });
  const ignored = ignoredVariables();
  if (ignored.length > 0) logger.info("ignored variables that Kubernetes set for a Service", { variables: ignored });
  const { HOST: host } = process.env;
  if (host && !isOwnAddress(host))
    logger.info("ignored HOST, which is no IP address of this machine; SIGNALBOX_HOST sets the address", { host });
  const events = context.isJson
    ? createJsonEvents(context)
    : createDeployedEvents({ terminal: context.terminal, logger });
  await keepBuild(settings, manifest, events);
  return { settings, manifest, logger, events };
}

/** The service can run without the builds of earlier containers, but their open runs could fail. */
async function keepBuild(
  { stateDir, buildsDir }: Settings,
  { version }: Manifest,
  events: ServiceEvents,
): Promise<void> {
  if (buildsDir === null) return;
  const { exchangeBuilds } = await import("../../../server/project/exchange-builds.ts");
  await exchangeBuilds({ stateDir, buildsDir, version }).catch((error: unknown) =>
    events.notice(
      "warn",
      `Builds cannot be kept in ${buildsDir}: ${error instanceof Error ? error.message : String(error)}`,
    ),
  );
}

/** `signalbox start` prints its URL on stdout. All other events are log lines. */
export function createDeployedEvents({ terminal, logger }: { terminal: Terminal; logger: Logger }): ServiceEvents {
  return {
    ready({ url, localUrl, store, manifest }) {
      const { paint } = terminal.out;
      terminal.out.write(renderReady({ url, localUrl, store, manifest, paint, isDevelopment: false }));
      logger.info("ready", { url, store, version: manifest.version });
    },
    working({ manifest, store, healthPort }) {
      const { name, version } = manifest;
      terminal.out.write(
        `\n${terminal.out.paint("strong", name)} ${terminal.out.paint("dim", version)} executes runs${healthPort === null ? "" : `; health checks on port ${healthPort}`}\n${terminal.out.paint("dim", `Store: ${store}`)}\n\n`,
      );
      logger.info("working", { store, version, healthPort });
    },
    runEnded({ runId, deliveryId, target, trigger, attempt, status, durationMs, error }) {
      const hasFailed = status === "failed" || status === "timed_out";
      logger[hasFailed ? "warn" : "info"](describeEnd(status), {
        runId,
        deliveryId,
        ...targetLogFields(target),
        trigger,
        attempt,
        status,
        durationMs,
        error,
      });
    },
    delivery() {},
    notice: (level, message) => logger[level](message),
    stopping: () => logger.info("stopping"),
    reloaded: () => {},
    unchanged: () => {},
    buildFailed: () => {},
  };
}

/**
 * Workers report each time that they release a run. It may also sleep, wait for its next attempt or an approval, or
 * return to the queue.
 */
function describeEnd(status: RunStatus): string {
  if (isEnded(status)) return "run ended";
  return status === "waiting" ? "run is waiting" : "run returned to the queue";
}
