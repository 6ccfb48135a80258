import { type Settings } from "../../config.ts";
import type { Logger } from "../../ports/logger.ts";
import type { HttpProcessToSupervisor, ProcessStart, Reporter, SupervisorToHttpProcess } from "../protocol.ts";
import type { DiskWait } from "../event-loop/block-report.ts";
import { createRestartPolicy } from "../worker-pool/restart-policy.ts";
import { pickEnvironment, selectWebVariables } from "../child-environment.ts";
import { forkHttpChild, type HttpChild, type HttpProgram, programNames } from "./child.ts";
import { createProcessWatch, watchEveryMs } from "./watch-process.ts";
import { formatDuration } from "../../shared/format.ts";

interface ProcessKeeper {
  /** The public port, as the first process reported it; `null` from web. */
  readonly port: number | null;
  send(message: SupervisorToHttpProcess): void;
  /** The process is not started again when it ends. */
  stopRestarting(): void;
  /** Resolves when the process that runs now has ended. */
  ended(): Promise<unknown>;
  /** The number of restarts. */
  restarts(): number;
  /** Resolves when the process serves the new build; rejects with the reason why it does not. */
  reload(): Promise<void>;
  close(withinMs: number): Promise<void>;
}

export interface KeepOptions {
  program: HttpProgram;
  settings: Settings;
  /** Returns the start options of the next process. */
  start: () => ProcessStart;
  /** Called for each process that was started. */
  onStarted?: (send: (message: SupervisorToHttpProcess) => void) => void;
  /** Called when a process has ended. */
  onEnded?: () => void;
  env: NodeJS.ProcessEnv | undefined;
  reporter: Reporter;
  logger: Logger;
  onMessage: (message: HttpProcessToSupervisor) => void;
  /** Rewrites a stack from built positions to the user's own. */
  mapStack: (stack: string) => Promise<string>;
  /** Starts a process. Tests replace it. */
  fork?: typeof forkHttpChild;
  /** Ends the first start. */
  signal?: AbortSignal;
}

/**
 * Starts the receiver or web, and restarts it whenever it ends. Kills a process that is stopped or blocked. Rejects if
 * the first start fails.
 */
export async function keepProcess(p: KeepOptions): Promise<ProcessKeeper> {
  const { program, settings, reporter, fork = forkHttpChild } = p;
  const name = programNames[program];
  let waiting: { resolve: () => void; reject: (error: Error) => void }[] = [];
  let isClosing = false;
  const restarts = createRestartPolicy();
  let count = 0;
  /** Ends the pause before the next start. */
  let endPause: (() => void) | null = null;
  let child = spawn();
  const abort = () => child.kill();
  p.signal?.addEventListener("abort", abort);
  const watch = createProcessWatch({ child: () => child, onBlocked, onDiskStalled, onDiskResponds });
  const watching = setInterval(() => void watch(), watchEveryMs);
  const port = await child.ready.catch(async (error: unknown) => {
    await child.exited;
    clearInterval(watching);
    throw error;
  });
  p.signal?.removeEventListener("abort", abort);
  void keepAlive();

  function spawn(): HttpChild {
    const started = fork({ program, start: p.start(), env: p.env, stateDir: settings.stateDir, onMessage: handle });
    p.onStarted?.(started.send);
    return started;
  }

  function handle(message: HttpProcessToSupervisor): void {
    if (message.type === "heartbeat") return;
    if (message.type !== "reloaded") return p.onMessage(message);
    const [first] = waiting.splice(0, 1);
    if (message.error === null) first?.resolve();
    else first?.reject(new Error(message.error));
  }

  /** The new build may read other environment variables than the last one. */
  function requestReload(): void {
    child.send({ type: "reload", env: pickEnvironment(selectWebVariables(settings.stateDir), p.env) });
  }

  async function keepAlive(): Promise<void> {
    for (;;) {
      const { how, isOwnFault } = await child.exited;
      failWaiting(new Error(`The ${name} ${how}.`));
      p.onEnded?.();
      if (isClosing) return;
      const pauseMs = restarts.pauseAfter({
        startedAt: child.startedAt,
        readyAt: child.readyAt(),
        endedAt: performance.now(),
        isOwnFault,
      });
      reporter.notice(
        "error",
        `The ${name} ${how}. It restarts${pauseMs > 0 ? ` in ${formatDuration(pauseMs)}` : ""}.`,
      );
      await pause(pauseMs);
      if (isClosing) return;
      child = spawn();
      count += 1;
      // These reloads were requested while no process could answer.
      for (let n = waiting.length; n > 0; n -= 1) requestReload();
      child.ready.catch((error: Error) => reporter.notice("error", error.message));
    }
  }

  async function pause(ms: number): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    endPause = resolve;
    const timer = setTimeout(resolve, ms);
    await promise;
    clearTimeout(timer);
  }

  function onBlocked(stack: string): void {
    void p
      .mapStack(stack)
      .catch(() => stack)
      .then((place) => p.logger.error(`event loop of the ${name} blocked`, { place }));
  }

  function onDiskStalled({ waitingFor, waitedMs }: DiskWait): void {
    p.logger.warn(`the disk of the store does not respond to the ${name}`, { waitingFor, waitedMs });
  }

  function onDiskResponds(ms: number): void {
    const fields = { unresponsiveFor: formatDuration(ms), unresponsiveMs: Math.round(ms) };
    p.logger.warn(`the disk of the store responds again to the ${name}`, fields);
  }

  function failWaiting(error: Error): void {
    const failed = waiting;
    waiting = [];
    for (const { reject } of failed) reject(error);
  }

  return {
    port,
    send: (message) => child.send(message),
    stopRestarting: () => void (isClosing = true),
    ended: () => child.exited,
    restarts: () => count,
    reload: () =>
      new Promise((resolve, reject) => {
        waiting.push({ resolve, reject });
        requestReload();
        // With a new build, the next start may succeed: it is tried at once.
        endPause?.();
      }),
    async close(withinMs) {
      isClosing = true;
      clearInterval(watching);
      endPause?.();
      child.send({ type: "shutdown" });
      const killer = setTimeout(() => child.kill(), withinMs);
      await child.exited;
      clearTimeout(killer);
    },
  };
}
