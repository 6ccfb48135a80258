import { createApiClient } from "../api/api-client.ts";
import type { CliCommand } from "./cli-command.ts";
import { type CommandContext, type CommandRunner, isWatched } from "./command-context.ts";
import { makeFirstKey } from "./keys/first-key.ts";
import { peopleAnswer } from "./people/list.ts";
import { invitationAnswer } from "./people/setup-link.ts";
import { parsePort, parseRole, type Role } from "./parse-options.ts";
import { readDeployed } from "./read-deployed.ts";
import type { ServiceEvents } from "./service-events.ts";
import { startService, startWeb } from "./start-service.ts";
import { untilStopped } from "./until-stopped.ts";
import { work } from "./worker.ts";

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
