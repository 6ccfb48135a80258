import { join } from "node:path";
import { describeStore } from "../../../server/config/describe-store.ts";
import { readLogLevel, readSettings, type Settings } from "../../../server/config.ts";
import { SettingsError } from "../../../server/config/environment.ts";
import type { BuildProblem } from "../../../server/contract/project/failed-build.ts";
import type { Manifest } from "../../../server/contract/project/manifest.ts";
import { didYouMean } from "../../../sdk/did-you-mean.ts";
import { isReachableFromElsewhere } from "../../../server/domain/requests/local-request.ts";
import { findRunningServer } from "../../api/running-server.ts";
import type { BuildResult } from "../../build/build-project.ts";
import { Failure, usageFailure } from "../../terminal/failure.ts";
import type { CliCommand } from "../cli-command.ts";
import { type CommandContext, type CommandRunner, requireProject } from "../command-context.ts";
import { collect, parseSince, type Since, parsePort, startOfPeriod } from "../options.ts";
import { createJsonEvents, type ServiceEvents } from "../service/service-events.ts";
import { type Service, startService } from "../service/start-service.ts";
import { untilStopped } from "../service/until-stopped.ts";
import { createTextEvents } from "../service/text-events.ts";
import { openFeedCursor } from "./feed/feed-cursors.ts";
import { type FeedSource, parseFeedUrl, readFeed } from "./feed/feed-stream.ts";
import { followFeed } from "./feed/follow-feed.ts";
import { prepareRemoteAccess } from "./remote-access.ts";
import { createRebuildLoop, isPartOfBuild, watchProject } from "./watch-project.ts";

const answerWithinMs = 3_000;

export function registerDev(program: CliCommand, runner: CommandRunner): void {
  program
    .subcommand("dev", "Build, serve and run the project, and rebuild it on changes. Local webhooks need no key", [
      "signalbox dev",
      "signalbox dev --port 4000 --project services/hooks",
      "signalbox dev --from https://hooks.example.com --since 2h --endpoint github",
    ])
    .option("--port <port>", "Port to listen on (default: PORT, signalbox.config.ts, 3002)", parsePort)
    .option("--from <url>", "Also run the deliveries of this service here. Needs SIGNALBOX_TOKEN with the scope feed")
    .option(
      "--since <duration>",
      "With --from: start with the deliveries of this period, e.g. 2h (default: continue)",
      parseSince,
    )
    .option("--endpoint <endpoint>", "With --from: only the deliveries to this endpoint. Can be repeated", collect)
    .option("--match-only", "With --from: evaluate and record deliveries, and start no runs")
    .action(runner.action(dev));
}

/** Covers editors that write a file in several steps, and saving several files. */
const debounceMs = 30;

interface DevOptions {
  port?: number;
  from?: string;
  since?: Since;
  endpoint?: string[];
  matchOnly?: boolean;
}

async function dev(context: CommandContext, { port, ...feedOptions }: DevOptions): Promise<void> {
  requireProject(context.projectDir);
  const source = readFeedSource(feedOptions);
  await requireSingleService(context.projectDir);
  const stopped = untilStopped();
  const stopping = new AbortController();
  const events = namingUnknownEndpoints(
    context.isJson ? createJsonEvents(context) : createTextEvents(context),
    source?.endpoints ?? [],
  );
  const follow = async (inputs: readonly string[]): Promise<void> =>
    stopping.signal.aborted ? undefined : watching.follow(inputs);
  const session = await openSession(context, {
    events,
    flags: port === undefined ? {} : { port },
    signal: stopping.signal,
    follow,
  });
  const failed = Promise.withResolvers<never>();
  const following =
    source &&
    followFeed({
      source,
      isMatchOnly: feedOptions.matchOnly ?? false,
      since: startOfPeriod(feedOptions.since, context.now()) ?? null,
      cursor: openFeedCursor(join(context.projectDir, ".signalbox"), source),
      open: (start, signal) => readFeed(source, start, signal),
      take: session.takeDelivery,
      notice: events.notice,
      signal: stopping.signal,
    }).catch(failed.reject);
  const rebuild = async () => {
    session.changeVariables(context.envFiles.reload());
    await session.rebuild();
  };
  const loop = createRebuildLoop({
    debounceMs,
    rebuild: () =>
      rebuild().catch((error: unknown) =>
        stopping.signal.aborted ? undefined : reportFailure({ error, session, events, fail: failed.reject }),
      ),
  });
  const watching = await watchProject(context.projectDir, (path) => {
    if (session.concerns(path) || context.envFiles.includes(path)) loop.changed();
  });
  try {
    loop.changed();
    await Promise.race([stopped, failed.promise]);
    events.stopping();
  } finally {
    stopping.abort();
    await loop.close();
    await watching.stop();
    await session.close();
    await following;
  }
}

/** The service in --from, with the token in the environment. `null`: there is none. */
function readFeedSource({ from, since, endpoint, matchOnly }: Omit<DevOptions, "port">): FeedSource | null {
  if (from !== undefined)
    return { url: parseFeedUrl(from), token: process.env["SIGNALBOX_TOKEN"] || null, endpoints: endpoint ?? [] };
  if (since !== undefined || endpoint !== undefined || matchOnly)
    throw usageFailure(
      "--since, --endpoint and --match-only select from the deliveries of another service: name it with --from.",
    );
  return null;
}

/** As soon as the service is ready, a notice names the followed endpoints that the project does not have. */
export function namingUnknownEndpoints(events: ServiceEvents, followed: readonly string[]): ServiceEvents {
  return {
    ...events,
    ready(details) {
      events.ready(details);
      const own = details.manifest.triggers.map(({ endpoint }) => endpoint);
      for (const endpoint of followed)
        if (!own.includes(endpoint))
          events.notice(
            "warn",
            `No trigger of this project listens on ${endpoint}.${didYouMean(endpoint, own)} Its deliveries will be rejected here.`,
          );
    },
  };
}

interface OpenSession {
  events: ServiceEvents;
  flags: { port?: number };
  signal: AbortSignal;
  /** Gets the files of every successful build. */
  follow(inputs: readonly string[]): Promise<void>;
}

async function openSession(context: CommandContext, options: OpenSession): Promise<DevSession> {
  const { projectDir } = context;
  const [{ buildProject }, { createStandby }, { createLogger }] = await Promise.all([
    import("../../build/build-project.ts"),
    import("../../build/evaluation/standby.ts"),
    import("../../../server/logging.ts"),
  ]);
  let { flags } = options;
  const logger = createLogger({ mode: "development", level: readLogLevel("development"), process: "supervisor" });
  const standby = createStandby(projectDir);
  options.signal.addEventListener("abort", standby.discard);
  let packages: readonly string[] = [];
  return createDevSession({
    async build() {
      const built = await buildProject({ projectDir, signal: options.signal, mayLackTriggers: true, standby });
      if (built.ok) {
        ({ packages } = built);
        await options.follow(built.inputs);
      }
      return built;
    },
    standby: {
      prepare: () => (options.signal.aborted ? undefined : standby.prepare(packages)),
      discard: standby.discard,
    },
    readSettings: (manifest) =>
      readSettings({ projectDir, mode: "development", fromProject: manifest.settings, flags }),
    async start(settings) {
      const showAccess = isReachableFromElsewhere(settings)
        ? await prepareRemoteAccess(context, { settings, events: options.events })
        : null;
      const service = await startService({ settings, reporter: options.events, logger, now: context.now() });
      showAccess?.(service);
      // A restart keeps the port that the system chose.
      if (settings.port === 0) flags = { ...flags, port: Number(new URL(service.localUrl).port) };
      return service;
    },
    events: options.events,
    now: context.now,
  });
}

/** Before the service has started, an error ends `dev`. Afterwards it is reported, and the last build is still served. */
function reportFailure(options: {
  error: unknown;
  session: DevSession;
  events: ServiceEvents;
  fail: (error: unknown) => void;
}): void {
  const { session, events, fail } = options;
  if (!session.isServing()) return fail(options.error);
  const message = options.error instanceof Error ? options.error.message : String(options.error);
  events.notice("error", options.error instanceof SettingsError ? message : `Cannot load the new build: ${message}`);
}

/**
 * Rejects a second service of a project: two would overwrite each other's builds. Entries of killed services, and of
 * processes that reuse their process id, are ignored.
 */
export async function requireSingleService(projectDir: string): Promise<void> {
  const running = findRunningServer(projectDir);
  if (!running || running.pid === process.pid || !(await answers(running.localUrl ?? running.url))) return;
  const command = running.mode === "development" ? "dev" : "start";
  throw new Failure(
    `\`signalbox ${command}\` already serves this project on ${running.url} (process ${running.pid}).`,
    {
      code: "already_running",
      fix: `Use that service: \`dev\` rebuilds on every change. Or stop it first: kill ${running.pid}`,
      extra: { pid: running.pid, url: running.url },
    },
  );
}

async function answers(url: string): Promise<boolean> {
  try {
    return (await fetch(new URL("/healthz", url), { signal: AbortSignal.timeout(answerWithinMs), redirect: "error" }))
      .ok;
  } catch {
    return false;
  }
}

interface DevSession {
  /** Builds, and loads a successful build by starting or reloading the service. Rejects if the service cannot start. */
  rebuild(): Promise<void>;
  /** Whether a change of this file requires a rebuild. */
  concerns(path: string): boolean;
  isServing(): boolean;
  /** Records a delivery of another service. `null`: this one does not serve at the moment. */
  takeDelivery: Service["takeDelivery"];
  /** Processes get their variables when they start: the next successful build restarts the service. */
  changeVariables(names: readonly string[]): void;
  close(): Promise<void>;
}

interface Serving {
  service: Service;
  settings: Settings;
  version: string;
  /** The last reload failed, so parts of the service may run another build. */
  isMixed: boolean;
}

/** One `signalbox dev`. It serves the last successful build. */
export function createDevSession(options: {
  build(): Promise<BuildResult>;
  /** Keeps a process ready for the next build; `discard` ends it. */
  standby: { prepare(): void; discard(): void };
  readSettings(manifest: Manifest): Settings;
  start(settings: Settings): Promise<Service>;
  events: ServiceEvents;
  now(): number;
}): DevSession {
  const { build, standby, readSettings, start, events, now } = options;
  let serving: Serving | null = null;
  let inputs: ReadonlySet<string> = new Set();
  let isBroken = false;
  /** The pages show a failed build. */
  let isReported = false;
  /** The variables that the processes of the service do not have yet. */
  const changed = new Set<string>();

  async function load(built: BuildResult & { ok: true }, startedAt: number): Promise<void> {
    const { manifest, warnings } = built;
    const settings = readSettings(manifest);
    if (serving && changed.size > 0) {
      events.notice("info", `Changed variables (${[...changed].join(", ")}): restarting.`);
      const { service } = serving;
      serving = null;
      await service.close();
    }
    changed.clear();
    if (!serving) {
      const service = await start(settings);
      serving = { service, settings, version: manifest.version, isMixed: false };
      return events.ready({
        mode: settings.mode,
        url: service.url,
        localUrl: service.localUrl,
        store: describeStore(settings),
        manifest,
        warnings,
      });
    }
    reportSettings(serving, settings);
    if (manifest.version === serving.version && !serving.isMixed)
      return events.unchanged({ version: manifest.version, wasBroken: isBroken });
    serving.isMixed = true;
    await serving.service.reload();
    serving.version = manifest.version;
    serving.isMixed = false;
    events.reloaded({ manifest, warnings, durationMs: performance.now() - startedAt });
  }

  function reportSettings(current: Serving, settings: Settings): void {
    const names = changedSettings(current.settings, settings);
    if (names.length > 0)
      events.notice("warn", `Changed settings (${names.join(", ")}) take effect when you restart \`signalbox dev\`.`);
    // Reported once per change.
    current.settings = settings;
  }

  /** Reports to the pages, once per change. */
  function report(problems: BuildProblem[]): void {
    if (problems.length > 0 || isReported)
      serving?.service.reportBuild(problems.length > 0 ? { at: new Date(now()).toISOString(), problems } : null);
    isReported = problems.length > 0;
  }

  return {
    async rebuild() {
      const startedAt = performance.now();
      const built = await build();
      const loading = built.ok ? load(built, startedAt) : null;
      // While the service loads the build: the next save does not wait.
      standby.prepare();
      if (built.ok) {
        inputs = new Set(built.inputs);
        await loading?.catch((error: unknown) => {
          report([loadProblem(error)]);
          throw error;
        });
      } else {
        events.buildFailed({ diagnostics: built.diagnostics, serving: serving?.version ?? null });
        if (serving && changed.size > 0)
          events.notice(
            "warn",
            `Changed variables (${[...changed].join(", ")}) take effect with the next successful build.`,
          );
      }
      report(built.ok ? [] : built.diagnostics);
      isBroken = !built.ok;
    },
    isServing: () => serving !== null,
    takeDelivery: async (request) => (serving ? serving.service.takeDelivery(request) : null),
    concerns: (path) => isPartOfBuild(path, { inputs, isBroken }),
    changeVariables(names) {
      if (names.length === 0) return;
      // It has the variables of its start.
      standby.discard();
      for (const name of names) changed.add(name);
    },
    close: async () => serving?.service.close(),
  };
}

/** The build succeeded, but cannot be loaded. */
function loadProblem(error: unknown): BuildProblem {
  const text = error instanceof Error ? error.message : String(error);
  return {
    code: "not_in_force",
    severity: "error",
    file: null,
    line: null,
    column: null,
    frame: null,
    title: "The new build could not be loaded",
    text,
    fix: "Fix the cause and save a file, or restart `signalbox dev`.",
  };
}

/** Names of the settings that differ. A service takes its settings when it starts. */
function changedSettings(before: Settings, after: Settings): string[] {
  return Object.entries(after).flatMap(([name, value]) => {
    const [, old] = Object.entries(before).find(([other]) => other === name) ?? [];
    return JSON.stringify(old) === JSON.stringify(value) ? [] : [name];
  });
}
