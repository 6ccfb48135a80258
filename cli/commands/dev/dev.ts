import { readLogLevel, readSettings, SettingsError } from "../../../server/config.ts";
import { isReachableFromElsewhere } from "../../../server/domain/local-request.ts";
import type { CliCommand } from "../cli-command.ts";
import type { CommandContext, CommandRunner } from "../command-context.ts";
import { createJsonEvents } from "../json-events.ts";
import { parsePort } from "../parse-options.ts";
import { requireProject } from "../require-project.ts";
import { startService } from "../start-service.ts";
import { createTextEvents } from "../text-events.ts";
import { untilStopped } from "../until-stopped.ts";
import { createDevSession, type DevSession } from "./dev-session.ts";
import { createRebuildLoop } from "./rebuild-loop.ts";
import { prepareRemoteAccess } from "./remote-access.ts";
import { requireSingleService } from "./refuse-second.ts";
import { watchProject } from "./watch-project.ts";
import type { ServiceEvents } from "../service-events.ts";

export function registerDev(program: CliCommand, runner: CommandRunner): void {
  program
    .subcommand("dev", "Build, serve and run the project, and rebuild it on changes. Local webhooks need no key", [
      "signalbox dev",
      "signalbox dev --port 4000 --project services/hooks",
    ])
    .option("--port <port>", "Port to listen on (default: PORT, signalbox.config.ts, 3002)", parsePort)
    .action(runner.action(dev));
}

/** Covers editors that write a file in several steps, and saving several files. */
const debounceMs = 30;

async function dev(context: CommandContext, { port }: { port?: number }): Promise<void> {
  requireProject(context.projectDir);
  await requireSingleService(context.projectDir);
  const stopped = untilStopped();
  const stopping = new AbortController();
  const events = context.isJson ? createJsonEvents(context) : createTextEvents(context);
  const follow = async (inputs: readonly string[]): Promise<void> =>
    stopping.signal.aborted ? undefined : watching.follow(inputs);
  const session = await openSession(context, {
    events,
    flags: port === undefined ? {} : { port },
    signal: stopping.signal,
    follow,
  });
  const failed = Promise.withResolvers<never>();
  const loop = createRebuildLoop({
    debounceMs,
    rebuild: () =>
      session
        .rebuild()
        .catch((error: unknown) =>
          stopping.signal.aborted ? undefined : reportFailure({ error, session, events, fail: failed.reject }),
        ),
  });
  const watching = await watchProject(context.projectDir, (path) => session.concerns(path) && loop.changed());
  try {
    loop.changed();
    await Promise.race([stopped, failed.promise]);
    events.stopping();
  } finally {
    stopping.abort();
    await loop.close();
    await watching.stop();
    await session.close();
  }
}

interface OpenSession {
  events: ServiceEvents;
  flags: { port?: number };
  signal: AbortSignal;
  /** Gets the files of every successful build. */
  follow(inputs: readonly string[]): Promise<void>;
}

async function openSession(context: CommandContext, p: OpenSession): Promise<DevSession> {
  const { projectDir } = context;
  const [{ buildProject }, { createLogger }] = await Promise.all([
    import("../../build/build-project.ts"),
    import("../../../server/logging.ts"),
  ]);
  const logger = createLogger({ mode: "development", level: readLogLevel("development"), process: "supervisor" });
  return createDevSession({
    async build() {
      const built = await buildProject({ projectDir, signal: p.signal, mayLackTriggers: true });
      if (built.ok) await p.follow(built.inputs);
      return built;
    },
    readSettings: (manifest) =>
      readSettings({ projectDir, mode: "development", fromProject: manifest.settings, flags: p.flags }),
    async start(settings) {
      const showAccess = isReachableFromElsewhere(settings)
        ? await prepareRemoteAccess(context, { settings, events: p.events })
        : null;
      const service = await startService({ settings, reporter: p.events, logger, now: context.now() });
      showAccess?.(service);
      return service;
    },
    events: p.events,
    now: context.now,
  });
}

/** Before the service has started, an error ends `dev`. Afterwards it is reported, and the last build is still served. */
function reportFailure(p: {
  error: unknown;
  session: DevSession;
  events: ServiceEvents;
  fail: (error: unknown) => void;
}): void {
  if (!p.session.isServing()) return p.fail(p.error);
  const message = p.error instanceof Error ? p.error.message : String(p.error);
  p.events.notice("error", p.error instanceof SettingsError ? message : `Cannot load the new build: ${message}`);
}
