import type { Settings } from "../../config.ts";
import type { FailedBuild } from "../../contract/project/failed-build.ts";
import type { ServiceNumbers } from "../../domain/tallies.ts";
import type { Logger } from "../../ports/logger.ts";
import type { ReceiverNumbers } from "../../ports/service-report.ts";
import { mapBuiltStack } from "../../project/map-stack.ts";
import type { HostLink } from "../receiver/host-link.ts";
import { createInputChecks } from "../input-checks/input-checks.ts";
import { createLocalSockets, type LocalSockets } from "../local-sockets.ts";
import { createNumberExchange } from "../web/number-exchange.ts";
import type {
  HttpProcessToSupervisor,
  InputQuestion,
  ProcessStart,
  Reporter,
  SupervisorToHttpProcess,
} from "../protocol.ts";
import { keepProcess, type KeepOptions } from "./keep-process.ts";

interface HttpProcesses {
  /** The public port. */
  readonly port: number;
  /** Loads the new build in both processes. The promises reject with the reason why the old build is still served. */
  reload(): { receiver: Promise<void>; both: Promise<unknown> };
  /** Reports whether the newest build failed: pages show it. */
  reportBuild(failed: FailedBuild | null): void;
  /** Ends web. The receiver accepts no more webhooks; its run host continues. */
  stopReceiving(withinMs: number): Promise<void>;
  /** Ends both processes. */
  close(withinMs: number): Promise<void>;
}

/** The time for the messages themselves. */
const marginMs = 300;
/** Web waits half a second for the numbers of all. */
const receiverWaitMs = 250;

/**
 * Starts the receiver and web, and restarts each of them whenever it ends, without the other. Rejects if a first start
 * fails, e.g. because the port is in use.
 */
export async function keepHttpProcesses(p: {
  settings: Settings;
  env: NodeJS.ProcessEnv | undefined;
  reporter: Reporter;
  logger: Logger;
  /** The workers of this service, whose run host is in the receiver. `null`: there are none. */
  workers: { link: HostLink; sockets: LocalSockets } | null;
  /** Returns the numbers of the workers. */
  readNumbers: () => Omit<ServiceNumbers, "webRestarts">;
  /** Called when another build is current. */
  onBuildChanged: () => void;
  /** Starts a process. Tests replace it. */
  fork?: KeepOptions["fork"];
}): Promise<HttpProcesses> {
  const { settings, env, reporter, logger, workers } = p;
  const sockets = workers?.sockets ?? (await createLocalSockets());
  const stoppedReceiving = Promise.withResolvers<void>();
  let port = settings.port;
  let failedBuild: FailedBuild | null = null;
  const starting = new AbortController();
  const common = {
    settings,
    env,
    reporter,
    logger,
    mapStack: (stack: string) => mapBuiltStack(settings.stateDir, stack),
    start: (): ProcessStart => ({
      projectDir: settings.projectDir,
      mode: settings.mode,
      flags: { port, host: settings.host },
      web: sockets.web,
    }),
    signal: starting.signal,
    ...(p.fork ? { fork: p.fork } : {}),
  };
  const inputs = createInputChecks({ stateDir: settings.stateDir, env, memoryMb: settings.workerMemoryMb, logger });
  const receiverNumbers = createNumberExchange<ReceiverNumbers>(
    () => receiver.send({ type: "read-receiver-numbers" }),
    { waitMs: receiverWaitMs },
  );

  function handle(message: HttpProcessToSupervisor): void {
    if (message.type === "runs-queued" || message.type === "cancel-requested") sendToReceiver(message);
    if (message.type === "host-answer") workers?.link.handleAnswer(message);
    if (message.type === "build-changed") p.onBuildChanged();
    if (message.type === "notice") reporter.notice(message.level, message.message);
    if (message.type === "stopped-receiving") stoppedReceiving.resolve();
    if (message.type === "delivery") reporter.delivery(message.delivery);
    if (message.type === "receiver-numbers") receiverNumbers.handleAnswer(message.numbers);
    if (message.type === "read-numbers") void answerNumbers();
    if (message.type === "check-input") void answerInput(message);
  }

  async function answerNumbers(): Promise<void> {
    if (!isStarted) return;
    const numbers = {
      ...p.readNumbers(),
      webRestarts: web.restarts(),
      receiverRestarts: receiver.restarts(),
      receiver: await receiverNumbers.read(),
    };
    web.send({ type: "numbers", numbers });
  }

  /** Does nothing before both processes are ready: there is nothing to report. */
  function sendToReceiver(message: SupervisorToHttpProcess): void {
    if (isStarted) receiver.send(message);
  }

  async function answerInput({ id, ...question }: InputQuestion): Promise<void> {
    const errors = await inputs.check(question);
    if (isStarted) web.send({ type: "input-checked", id, errors });
  }

  let isStarted = false;
  const first = [
    keepProcess({
      ...common,
      start: () => ({
        ...common.start(),
        ...(workers ? { runs: workers.sockets.runs, workers: workers.link.describeWorkers() } : {}),
      }),
      program: "receiver",
      onStarted: (send) => workers?.link.connect(send),
      onEnded: () => workers?.link.disconnect(),
      onMessage: handle,
    }).then((keeper) => {
      // If the port was 0, the system chose one. Later receivers use the same port.
      port = keeper.port ?? port;
      return keeper;
    }),
    keepProcess({
      ...common,
      program: "web",
      onStarted: (send) => failedBuild && send({ type: "build", failed: failedBuild }),
      onMessage: handle,
    }),
  ] as const;
  const [receiver, web] = await Promise.all(first).catch(async (error: unknown) => {
    starting.abort();
    for (const settled of await Promise.allSettled(first))
      if (settled.status === "fulfilled") await settled.value.close(0);
    if (!workers) await sockets.remove();
    throw error;
  });
  web.send({ type: "port", port });
  isStarted = true;

  return {
    port,
    reload() {
      const reloading = receiver.reload();
      return { receiver: reloading, both: Promise.all([reloading, web.reload()]) };
    },
    reportBuild(failed) {
      failedBuild = failed;
      web.send({ type: "build", failed });
    },
    async stopReceiving(withinMs) {
      receiver.stopRestarting();
      receiver.send({ type: "stop-receiving", graceMs: Math.max(0, withinMs - marginMs) });
      const { promise: late, resolve } = Promise.withResolvers<void>();
      const timer = setTimeout(resolve, withinMs);
      // Streams of web end at once, so that the receiver does not wait for them.
      await Promise.all([Promise.race([stoppedReceiving.promise, receiver.ended(), late]), web.close(withinMs)]);
      clearTimeout(timer);
    },
    async close(withinMs) {
      await Promise.all([receiver.close(withinMs), web.close(withinMs)]);
      inputs.close();
      if (!workers) await sockets.remove();
    },
  };
}
