import type { AddressInfo } from "node:net";
import { extendEnvironment, readLogLevel, readProcessStart } from "../config.ts";
import { trustProxies } from "../http/read-client.ts";
import { createHttpServer, type PagesHandler } from "../http/http-server.ts";
import { loadPages } from "../http/pages/load-pages.ts";
import { summarizeDelivery } from "../ingest/delivery-record.ts";
import { createLogger } from "../logging.ts";
import { openSignalbox, readBuiltSettings, type Signalbox } from "../main.ts";
import { packageRoot } from "../paths.ts";
import type { Logger } from "../ports/logger.ts";
import type { NewDelivery } from "../ports/store/delivery-store.ts";
import { openTracing } from "../tracing/open-tracing.ts";
import { collectStartUp } from "./collect-start-up.ts";
import { createNumberExchange } from "./number-exchange.ts";
import { once } from "./once.ts";
import type { SupervisorToWeb, WebToSupervisor } from "./protocol.ts";
import { watchEventLoop } from "./watch-event-loop.ts";

/** The web process: our HTTP server, with Next behind it for the pages. Holds no user code but sources. */
const shutdownGraceMs = 5_000;
/**
 * For spans that wait, at the end: as long as the supervisor lets it (webCloseMs), or a second where all else was done
 * soon.
 */
const sendSpansWithinMs = 300;
const longestSendMs = 1_000;
/** Under load workers are awake anyway: a word for each webhook would cost more than the webhook. */
const wakeEveryMs = 4;
const heartbeatMs = 500;
/**
 * A blocked loop does not hear that the supervisor is gone. One that is not blocked leaves by itself: more time than
 * its grace.
 */
const orphanAfterMs = 8_000;
/** A locked store blocks it for five seconds, and there is nothing to inspect. */
const inspectAfterMs = 6_000;

const start = readProcessStart();
const level = readLogLevel(start.mode);
const logger = createLogger({ mode: start.mode, level, process: "web" });

// Ctrl-C reaches the whole process group: the supervisor decides what happens, and when.
process.on("SIGINT", () => {});

try {
  await serve();
} catch (error) {
  tell({ type: "failed", message: describeStartFailure(error) });
  process.disconnect?.();
  process.exitCode = 1;
}

async function serve(): Promise<void> {
  const { mode } = start;
  const settings = await readBuiltSettings(start);
  const tracing = await openTracing({ settings: settings.tracing, process: "web", logger });
  const numbers = createNumberExchange(() => tell({ type: "read-numbers" }));
  const signalbox = await openSignalbox({
    settings,
    logger,
    serviceNumbers: numbers.read,
    signals: {
      runsQueued: atMostEvery(wakeEveryMs, () => tell({ type: "runs-queued" })),
      cancelRequested: (runId) => tell({ type: "cancel-requested", runId }),
    },
    onEvent(event) {
      if (event.type !== "delivery") return;
      const { delivery, tookMs } = event;
      if (mode === "development") tell({ type: "delivery", delivery: summarizeDelivery(delivery) });
      // The store has every delivery; a line for each is among the most expensive parts of receiving it.
      else if (level === "debug") logDelivery(delivery);
      tracing?.delivered(summarizeDelivery(delivery), tookMs);
    },
  });
  Object.assign(globalThis, { [Symbol.for("signalbox.container")]: signalbox });

  const pages = pagesWhenAsked(logger, signalbox.drawPageFor, () =>
    loadPages({ mode: settings.pages, dir: packageRoot, host: settings.host, port: settings.port }),
  );
  // Only the pages' development server talks over a socket of its own.
  const http = createHttpServer({
    ingest: signalbox.ingest,
    rest: signalbox.rest,
    trpc: signalbox.trpc,
    auth: signalbox.auth,
    limitAnonymous: signalbox.limitAnonymous,
    gate: signalbox.gate,
    isSecure: settings.baseUrl?.startsWith("https:") ?? false,
    proxies: trustProxies(settings.trustProxy),
    pages: settings.pages === "source" ? pages : { handle: pages.handle },
    maxConnections: settings.limits.connections,
    onConnectionClosed: signalbox.metrics.observeClosedConnection,
    logger,
  });
  await new Promise<void>((resolve, reject) => {
    http.server.once("error", reject);
    http.server.listen(settings.port, settings.host, resolve);
  });
  const { port } = http.server.address() as AddressInfo;
  signalbox.setPort(port);
  watchEventLoop({ inspectAfterMs, orphanAfterMs });
  setInterval(() => tell({ type: "heartbeat" }), heartbeatMs).unref();
  tell({ type: "ready", host: settings.host, port });
  // Built pages are there in a moment. Next's development server costs seconds and memory, and takes a lock: when somebody looks.
  if (settings.pages === "built") pages.load();
  collectStartUp();

  const close = once(async () => {
    const endAt = performance.now() + shutdownGraceMs + sendSpansWithinMs;
    signalbox.beginShutdown();
    await http.close(shutdownGraceMs);
    await pages.close();
    await signalbox.close();
    await tracing?.close(Math.max(0, Math.min(longestSendMs, endAt - performance.now())));
    process.exit(0);
  });
  process.on("SIGTERM", () => void close());
  // Without a supervisor nobody would run what is accepted.
  process.on("disconnect", () => void close());
  // It may have gone while this process was starting.
  if (!process.connected) void close();
  process.on("message", (message: SupervisorToWeb) => {
    if (message.type === "reload") void reload(signalbox, message.env);
    else if (message.type === "build") signalbox.project.reportBuild(message.failed);
    else if (message.type === "numbers") numbers.answered(message.numbers);
    else void close();
  });
}

/** Who may read the log may not be who may read bodies: it has ids and outcomes only. */
function logDelivery({ id, endpoint, outcome, responseStatus, durationMs, verdicts, problem }: NewDelivery): void {
  const runIds = verdicts.flatMap(({ runId }) => runId ?? []);
  logger.debug("delivery", {
    deliveryId: id,
    endpoint,
    outcome,
    status: responseStatus,
    problem: problem?.code ?? null,
    runIds,
    durationMs,
  });
}

async function reload(signalbox: Signalbox, env: NodeJS.ProcessEnv): Promise<void> {
  extendEnvironment(env);
  const error = await signalbox.project.reload().then(
    () => null,
    (reason: unknown) => (reason instanceof Error ? reason.message : String(reason)),
  );
  tell({ type: "reloaded", version: signalbox.project.current().manifest.version, error });
}

/** Webhooks are served before the pages are loaded; a request for a page waits for them. */
function pagesWhenAsked(
  log: Logger,
  drawFor: Signalbox["drawPageFor"],
  load: () => ReturnType<typeof loadPages>,
): PagesHandler & { load(): void; close(): Promise<void> } {
  let loading: ReturnType<typeof loadPages> | null = null;
  const loaded = () => {
    if (loading) return loading;
    loading = load();
    loading.catch((error: unknown) => {
      log.error("could not load the pages, retrying at the next request", { error });
      loading = null;
    });
    return loading;
  };
  return {
    load: () => void loaded(),
    async handle(request, response, client) {
      const { handle } = await loaded();
      return drawFor(client, () => handle(request, response));
    },
    upgrade: (request, socket, head) =>
      void loaded()
        .then((pages) => (pages.upgrade ? pages.upgrade(request, socket, head) : socket.destroy()))
        // That they could not be loaded is logged above; nobody else would handle it, and that would end this process.
        .catch(() => socket.destroy()),
    close: async () => loading?.then((pages) => pages.close()).catch(() => {}),
  };
}

function describeStartFailure(error: unknown): string {
  const { code, message } = error as NodeJS.ErrnoException;
  const { flags } = start;
  if (code === "EADDRINUSE")
    return `Port ${flags?.port ?? ""} is in use. Stop the program that uses it, or choose another port with --port.`.replace(
      "  ",
      " ",
    );
  if (code === "EACCES")
    return `This user is not permitted to listen on the port. Choose a port above 1023 with --port.`;
  return message;
}

/** At once; and what comes within the time after that is told together, when the time is over. */
function atMostEvery(ms: number, action: () => void): () => void {
  let isResting = false;
  let isDue = false;
  const act = () => {
    isResting = true;
    action();
    setTimeout(() => {
      isResting = false;
      if (!isDue) return;
      isDue = false;
      act();
    }, ms);
  };
  return () => {
    if (isResting) isDue = true;
    else act();
  };
}

function tell(message: WebToSupervisor): void {
  if (process.connected) process.send?.(message);
}
