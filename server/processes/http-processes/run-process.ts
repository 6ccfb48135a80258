import { readLogLevel } from "../../config.ts";
import { extendEnvironment, readProcessStart } from "../child-environment.ts";
import { type ReceiverEvent, summarizeDelivery } from "../../ingest/accept.ts";
import { createLogger } from "../../logging.ts";
import type { Manifest } from "../../contract/project/manifest.ts";
import { hideInDelivery } from "../../domain/privacy/hide-values.ts";
import type { Logger } from "../../ports/logger.ts";
import type { NewDelivery } from "../../ports/store/delivery-store.ts";
import type { ReloadableProject } from "../../project/project-reader.ts";
import { openTracing } from "../../tracing/open-tracing.ts";
import { readBuiltSettings } from "../../project/read-built-settings.ts";
import type { Settings } from "../../config.ts";
import type { Tracing } from "../../ports/tracing.ts";
import { collectStartUp } from "../collect-start-up.ts";
import { once } from "../../domain/event-loop.ts";
import type { HttpProcessToSupervisor, SupervisorToHttpProcess } from "../protocol.ts";

/** The dependencies that a process gets at its start. */
export interface ProcessContext {
  settings: Settings;
  start: ReturnType<typeof readProcessStart>;
  /** The address at which web listens for the receiver. */
  web: { socket: string; secret: string };
  logger: Logger;
  /** Reports deliveries to the log, or in development to the terminal, and to traces. */
  onEvent(event: ReceiverEvent, manifest: Manifest): void;
  send(message: HttpProcessToSupervisor): void;
}

/** A process that is listening. */
export interface ListeningProcess {
  /** The public port; `null` in web. */
  port: number | null;
  project: ReloadableProject;
  handle(message: Exclude<SupervisorToHttpProcess, { type: "reload" | "shutdown" }>): void;
  /** Takes at most `graceMs`, plus a moment. */
  close(graceMs: number): Promise<void>;
}

const shutdownGraceMs = 5_000;
/**
 * For sending the last spans at the end: the rest of the time that the supervisor gives (closeMs), and at most a second
 * if everything else was fast.
 */
const sendSpansMs = 300;
const maxSendSpansMs = 1_000;
const heartbeatMs = 500;

/** The times after which the watcher thread acts: see `watchEventLoop`. */
export const httpProcessWatch = {
  /** A locked store blocks the loop for five seconds, and there is nothing to inspect. */
  inspectAfterMs: 6_000,
  /** A process whose event loop is not blocked notices itself that the supervisor has ended, and exits within its grace. */
  orphanAfterMs: shutdownGraceMs + 3_000,
};

/**
 * Runs the receiver or web under the supervisor: reports its start, sends heartbeats, loads new builds, and closes it
 * when the supervisor requests it or has ended. The only user code in these processes is the sources.
 */
export async function runHttpProcess(
  program: "receiver" | "web",
  open: (context: ProcessContext) => Promise<ListeningProcess>,
): Promise<void> {
  const start = readProcessStart();
  const level = readLogLevel(start.mode);
  const logger = createLogger({ mode: start.mode, level, process: program });
  // These can reach the whole process group: the supervisor decides what happens, and when.
  for (const signal of ["SIGINT", "SIGTERM"] as const) process.on(signal, () => {});
  process.once("disconnect", abandonStart);
  if (!process.connected) abandonStart();
  try {
    if (!start.web) throw new Error("The supervisor gave no address of web.");
    const settings = await readBuiltSettings(start);
    const tracing = await openTracing({ settings: settings.tracing, process: program, logger });
    const listening = await open({
      settings,
      start,
      web: start.web,
      logger,
      send,
      onEvent(event, manifest) {
        if (event.type !== "delivery") return;
        const { delivery, woke, tookMs } = event;
        if (start.mode === "development") {
          const summary = { ...summarizeDelivery(delivery), ...(woke && { woke: [...woke] }) };
          send({ type: "delivery", delivery: hideInDelivery(manifest, summary) });
        }
        // The store has every delivery; a line for each is among the most expensive parts of receiving it.
        else if (level === "debug") logDelivery(logger, delivery);
        tracing?.delivered(summarizeDelivery(delivery), tookMs);
      },
    });
    setInterval(() => send({ type: "heartbeat" }), heartbeatMs).unref();
    send({ type: "ready", port: listening.port });
    collectStartUp();
    followSupervisor(listening, tracing);
    process.off("disconnect", abandonStart);
  } catch (error) {
    // The supervisor then ends this process: an open store or server would keep it running.
    send({ type: "failed", message: error instanceof Error ? error.message : String(error) });
  }
}

/** Called without a supervisor. Nothing that must be closed is open yet. */
function abandonStart(): never {
  process.exit(1);
}

function followSupervisor(listening: ListeningProcess, tracing: Tracing | null): void {
  const close = once(async () => {
    const endAt = performance.now() + shutdownGraceMs + sendSpansMs;
    await listening.close(shutdownGraceMs);
    await tracing?.close(Math.max(0, Math.min(maxSendSpansMs, endAt - performance.now())));
    process.exit(0);
  });
  // Without a supervisor, accepted runs would not be executed.
  process.on("disconnect", () => void close());
  process.on("message", (message: SupervisorToHttpProcess) => {
    if (message.type === "reload") void reload(listening.project, message.env);
    else if (message.type === "shutdown") void close();
    else listening.handle(message);
  });
}

async function reload(project: ReloadableProject, env: NodeJS.ProcessEnv): Promise<void> {
  extendEnvironment(env);
  const error = await project.reload().then(
    () => null,
    (reason: unknown) => (reason instanceof Error ? reason.message : String(reason)),
  );
  send({ type: "reloaded", version: project.current().manifest.version, error });
}

/** The log has only ids and outcomes: its readers may not be permitted to read bodies. */
function logDelivery(
  log: Logger,
  { id, endpoint, outcome, responseStatus, durationMs, verdicts, problem }: NewDelivery,
): void {
  const runIds = verdicts.flatMap(({ runId }) => runId ?? []);
  log.debug("delivery", {
    deliveryId: id,
    endpoint,
    outcome,
    status: responseStatus,
    problem: problem?.code ?? null,
    runIds,
    durationMs,
  });
}

function send(message: HttpProcessToSupervisor): void {
  if (process.connected) process.send?.(message);
}
