import { createApiClient } from "../api/api-client.ts";
import { registerAgentsRun } from "./agents/run.ts";
import { registerBackup } from "./backup.ts";
import { registerBuild } from "./build.ts";
import type { CliCommand } from "./cli-command.ts";
import { type CommandContext, type CommandRunner, isWatched } from "./command-context.ts";
import { registerDev } from "./dev/dev.ts";
import { registerDoctor } from "./doctor/doctor.ts";
import { registerInit } from "./init/init.ts";
import { registerKeysCreate } from "./keys/create.ts";
import { makeFirstKey } from "./keys/first-key.ts";
import { registerKeysList } from "./keys/list.ts";
import { registerKeysRevoke } from "./keys/revoke.ts";
import { registerKeysRotate } from "./keys/rotate.ts";
import { parsePort, parseRole, type Role } from "./parse-options.ts";
import { registerPeopleInvite } from "./people/invite.ts";
import { peopleAnswer, registerPeopleList } from "./people/list.ts";
import { registerPeopleResetPassword } from "./people/reset-password.ts";
import { invitationAnswer, registerPeopleSetupLink } from "./people/setup-link.ts";
import { readDeployed } from "./read-deployed.ts";
import { registerRestore } from "./restore.ts";
import { registerRunsApprovals } from "./runs/approvals.ts";
import { registerRunsCancel } from "./runs/cancel.ts";
import { registerRunsDecide } from "./runs/decide.ts";
import { registerRunsGet } from "./runs/get.ts";
import { registerRunsList } from "./runs/list.ts";
import { registerRunsReplay } from "./runs/replay.ts";
import type { ServiceEvents } from "./service-events.ts";
import { startService, startWeb, toStartFailure } from "./start-service.ts";
import { registerStoreCopy } from "./store/copy.ts";
import { registerStoreMigrate } from "./store/migrate.ts";
import { registerTriggersList } from "./triggers/list.ts";
import { registerTriggersRunsList } from "./triggers/runs-list.ts";
import { registerTriggersSend } from "./triggers/send.ts";
import { registerTriggersSwitch } from "./triggers/switch.ts";
import { registerTriggersTest } from "./triggers/test.ts";
import { registerTriggersUrl } from "./triggers/url.ts";
import { untilStopped } from "./until-stopped.ts";

/** Registers all commands. */
export function registerCommands(program: CliCommand, runner: CommandRunner): void {
  registerDev(program, runner);
  registerBuild(program, runner);
  registerStart(program, runner);
  registerWorker(program, runner);

  const triggers = program.subcommand("triggers", "List, test and use the project's triggers", [
    "signalbox triggers list",
    "signalbox triggers url new-signup",
  ]);
  registerTriggersList(triggers, runner);
  registerTriggersUrl(triggers, runner);
  const triggerRuns = triggers.subcommand("runs", "List the runs of a trigger", [
    "signalbox triggers runs list new-signup",
  ]);
  registerTriggersRunsList(triggerRuns, runner);
  registerTriggersTest(triggers, runner);
  registerTriggersSend(triggers, runner);
  registerTriggersSwitch(triggers, runner);

  const runs = program.subcommand("runs", "Inspect, replay and cancel runs, and approve tool calls", [
    "signalbox runs get run_01K9ZR7M3QD4V8XN2T5B6C7E8F",
  ]);
  registerRunsList(runs, runner);
  registerRunsGet(runs, runner);
  registerRunsReplay(runs, runner);
  registerRunsCancel(runs, runner);
  registerRunsApprovals(runs, runner);
  registerRunsDecide(runs, runner);

  const agents = program.subcommand("agents", "Run the project's agents", [
    'signalbox agents run triage --prompt "Hello"',
  ]);
  registerAgentsRun(agents, runner);

  const keys = program.subcommand("keys", "Manage webhook keys and API tokens", [
    "signalbox keys list",
    "signalbox keys create --name github",
  ]);
  registerKeysCreate(keys, runner);
  registerKeysList(keys, runner);
  registerKeysRotate(keys, runner);
  registerKeysRevoke(keys, runner);

  const people = program.subcommand("people", "Manage the accounts of a deployed service", [
    "signalbox people setup-link",
    "signalbox people invite --role operator",
  ]);
  registerPeopleList(people, runner);
  registerPeopleInvite(people, runner);
  registerPeopleResetPassword(people, runner);
  registerPeopleSetupLink(people, runner);

  const store = program.subcommand("store", "Migrate the store, or copy it to another database", [
    "signalbox store migrate",
    "signalbox store copy --from file:./.signalbox/signalbox.db --to postgres://signalbox@db.internal/signalbox",
  ]);
  registerStoreMigrate(store, runner);
  registerStoreCopy(store, runner);

  registerBackup(program, runner);
  registerRestore(program, runner);
  registerDoctor(program, runner);

  registerInit(program, runner);
}

function registerStart(program: CliCommand, runner: CommandRunner): void {
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
  const [{ openLocalApi }, { requireSharedStore }] = await Promise.all([
    import("../../server/main.ts"),
    import("../../server/processes/require-shared-store.ts"),
  ]);
  if (role === "web") requireSharedStore(settings, "`signalbox start --role web`");

  const local = await openLocalApi({ projectDir, running: null, isReplacingSecret: newSecret });
  try {
    const keyId = await makeFirstKey(createApiClient((request) => local.fetch(request)));
    if (keyId)
      events.notice(
        "info",
        `Created the first webhook key (${keyId}). \`signalbox triggers url <slug>\` prints a URL with it.`,
      );
  } finally {
    await local.close();
  }

  const stopped = untilStopped();
  const service = await (role === "web" ? startWeb : startService)({
    settings,
    reporter: events,
    logger,
    now: context.now(),
  });
  events.ready({ mode: "deployed", url: service.url, localUrl: service.localUrl, manifest, warnings: [] });
  // The service is up, so an unavailable store must not end it now.
  await showSetupLink(context, { url: service.url, events }).catch((error: unknown) =>
    events.notice("warn", `Cannot check for accounts: ${error instanceof Error ? error.message : String(error)}`),
  );
  await stopped;
  events.stopping();
  await service.close();
}

/**
 * Without accounts, each start shows how the first admin joins. The link is shown only at a terminal, because others
 * may read a log.
 */
async function showSetupLink(
  context: CommandContext,
  { url, events }: { url: string; events: ServiceEvents },
): Promise<void> {
  const { openLocalApi } = await import("../../server/main.ts");
  const local = await openLocalApi({ projectDir: context.projectDir, running: { mode: "deployed", url } });
  try {
    const api = createApiClient((request) => local.fetch(request));
    if ((await api.request({ path: "/people", answer: peopleAnswer })).data.length > 0) return;
    if (!isWatched(context))
      return events.notice(
        "warn",
        "There are no accounts yet. Run `signalbox people setup-link` on this machine to create a link for the first admin.",
      );
    const link = await api.request({ method: "POST", path: "/setup-links", answer: invitationAnswer });
    context.notify(
      `There are no accounts yet. The first admin joins with this link, once, within an hour:\n  ${link.url}\n\`signalbox people setup-link\` creates another.\n`,
    );
  } finally {
    await local.close();
  }
}

function registerWorker(program: CliCommand, runner: CommandRunner): void {
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
  const { startWorkers } = await import("../../server/processes/start-workers.ts");
  const stopped = untilStopped();
  const workers = await startWorkers({ settings, reporter: events, logger, healthPort: healthPort ?? null }).catch(
    (error: unknown) => {
      throw toStartFailure(error);
    },
  );
  events.working({ manifest, healthPort: workers.healthPort });
  await stopped;
  events.stopping();
  await workers.close();
}
