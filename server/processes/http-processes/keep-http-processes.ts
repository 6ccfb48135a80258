import type { Settings } from "../../config.ts";
import type { FailedBuild } from "../../contract/project/failed-build.ts";
import type { ServiceNumbers } from "../../domain/runs/run-tally.ts";
import type { Logger } from "../../ports/logger.ts";
import type { ReceiverNumbers } from "../../ports/service-report.ts";
import type { Signals } from "../../ports/signals.ts";
import { mapCurrentStack } from "../../project/map-stack.ts";
import { createNumberExchange } from "../number-exchange.ts";
import type { HttpProcessToSupervisor, ProcessStart, Reporter, SupervisorToHttpProcess } from "../protocol.ts";
import { keepProcess, type KeepOptions } from "./keep-process.ts";
import { createLocalSocket } from "../local-socket.ts";

interface HttpProcesses {
  /** The public port. */
  readonly port: number;
  /** Loads the new build in both. Both promises reject with the reason why the old build is still in force there. */
  reload(): { receiver: Promise<void>; both: Promise<unknown> };
  /** Whether the newest build failed: pages show it. */
  reportBuild(failed: FailedBuild | null): void;
  /** The receiver accepts no more webhooks, and both end. */
  close(withinMs: number): Promise<void>;
}

/** Web waits half a second for the numbers of all. */
const receiverWaitMs = 250;

/**
 * Starts the receiver and web, and again whenever one of them dies, without the other. Rejects if one of them cannot
 * start the first time, e.g. because the port is in use.
 */
export async function keepHttpProcesses(p: {
  settings: Settings;
  env: NodeJS.ProcessEnv | undefined;
  reporter: Reporter;
  logger: Logger;
  signals: Signals;
  /** The numbers of the workers. */
  readNumbers: () => Omit<ServiceNumbers, "webRestarts">;
  /** How a process is started; tests have their own. */
  fork?: KeepOptions["fork"];
}): Promise<HttpProcesses> {
  const { settings, env, reporter, logger, signals } = p;
  const { socket, secret, remove } = await createLocalSocket("web");
  let port = settings.port;
  let failedBuild: FailedBuild | null = null;
  const starting = new AbortController();
  const common = {
    settings,
    env,
    reporter,
    logger,
    mapStack: (stack: string) => mapCurrentStack(settings.stateDir, stack),
    start: (): ProcessStart => ({
      projectDir: settings.projectDir,
      mode: settings.mode,
      flags: { port, host: settings.host },
      web: { socket, secret },
    }),
    signal: starting.signal,
    ...(p.fork ? { fork: p.fork } : {}),
  };
  const receiverNumbers = createNumberExchange<ReceiverNumbers>(
    () => receiver.send({ type: "read-receiver-numbers" }),
    { waitMs: receiverWaitMs },
  );

  function handle(message: HttpProcessToSupervisor): void {
    if (message.type === "runs-queued") signals.runsQueued();
    if (message.type === "cancel-requested") signals.cancelRequested(message.runId);
    if (message.type === "delivery") reporter.delivery(message.delivery);
    if (message.type === "receiver-numbers") receiverNumbers.answered(message.numbers);
    if (message.type === "read-numbers") void answerNumbers();
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

  /** What a new web process does not know. */
  function greetWeb(): SupervisorToHttpProcess[] {
    return failedBuild ? [{ type: "build", failed: failedBuild }] : [];
  }

  let isStarted = false;
  const first = [
    keepProcess({ ...common, program: "receiver", onMessage: handle }).then((keeper) => {
      // Chosen by the system if it was 0. Each receiver after this one takes the same.
      port = keeper.port ?? port;
      return keeper;
    }),
    keepProcess({ ...common, program: "web", greet: greetWeb, onMessage: handle }),
  ] as const;
  const [receiver, web] = await Promise.all(first).catch(async (error: unknown) => {
    starting.abort();
    for (const settled of await Promise.allSettled(first))
      if (settled.status === "fulfilled") await settled.value.close(0);
    await remove();
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
    async close(withinMs) {
      // Streams of web end at once, so that the receiver does not wait for them.
      await Promise.all([receiver.close(withinMs), web.close(withinMs)]);
      await remove();
    },
  };
}
