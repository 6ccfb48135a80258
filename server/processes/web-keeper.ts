import { pickEnvironment, type Settings } from "../config.ts";
import type { FailedBuild } from "../contract/project/failed-build.ts";
import type { Logger } from "../ports/logger.ts";
import type { ProcessStart, Reporter, SupervisorToWeb, WebToSupervisor } from "./protocol.ts";
import { createRestartPolicy } from "./restart-policy.ts";
import { createWebWatch, watchEveryMs } from "./watch-web.ts";
import { type WebChild, forkWeb } from "./web-child.ts";
import { readWebNeeds } from "./web-environment.ts";

export interface WebKeeper {
  readonly host: string;
  readonly port: number;
  send(message: SupervisorToWeb): void;
  /** Times that it was started again. */
  restarts(): number;
  /** Resolves when the web process serves the new build; rejects with why it does not. */
  reload(): Promise<void>;
  /** Reports to the web process, and to each one after it, whether the newest build failed. */
  reportBuild(failed: FailedBuild | null): void;
  close(withinMs: number): Promise<void>;
}

/**
 * Starts the web process, and again whenever it dies, on the same port; ends one that is stopped or blocked, and
 * answers nobody. Rejects when it cannot start the first time.
 */
export async function keepWeb(p: {
  settings: Settings;
  env: NodeJS.ProcessEnv | undefined;
  reporter: Reporter;
  logger: Logger;
  onMessage: (message: WebToSupervisor) => void;
  /** Rewrites a stack from built positions to the user's own. */
  mapStack: (stack: string) => Promise<string>;
  /** How a process is started; tests have their own. */
  fork?: typeof forkWeb;
}): Promise<WebKeeper> {
  const { settings, reporter, fork = forkWeb } = p;
  let flags: NonNullable<ProcessStart["flags"]> = { port: settings.port, host: settings.host };
  let waiting: { resolve: () => void; reject: (error: Error) => void }[] = [];
  let failedBuild: FailedBuild | null = null;
  let isClosing = false;
  const restarts = createRestartPolicy();
  let count = 0;
  /** Ends the pause before the next start. */
  let endPause: (() => void) | null = null;
  let child = spawn();
  const watch = createWebWatch({ web: () => child, tellPlace });
  const watching = setInterval(() => void watch(), watchEveryMs);
  const { host, port } = await child.ready.catch(async (error: unknown) => {
    await child.exited;
    clearInterval(watching);
    throw error;
  });
  // Chosen by the system where it was 0.
  flags = { port, host: settings.host };
  void keepAlive();

  function spawn(): WebChild {
    return fork({
      start: { projectDir: settings.projectDir, mode: settings.mode, flags },
      env: p.env,
      stateDir: settings.stateDir,
      onMessage: hear,
    });
  }

  function hear(message: WebToSupervisor): void {
    if (message.type === "heartbeat") return;
    if (message.type !== "reloaded") return p.onMessage(message);
    const [first] = waiting.splice(0, 1);
    if (message.error === null) first?.resolve();
    else first?.reject(new Error(message.error));
  }

  /** Another build may read what the last one did not. */
  function askToReload(): void {
    child.send({ type: "reload", env: pickEnvironment(readWebNeeds(settings.stateDir), p.env) });
  }

  async function keepAlive(): Promise<void> {
    for (;;) {
      const { how, isOwnFault } = await child.exited;
      failWaiting(new Error(`The web process ${how}.`));
      if (isClosing) return;
      const pauseMs = restarts.pauseAfter({
        startedAt: child.startedAt,
        readyAt: child.readyAt(),
        endedAt: performance.now(),
        isOwnFault,
      });
      reporter.notice(
        "error",
        `The web process ${how}. It restarts${pauseMs > 0 ? ` in ${(pauseMs / 1000).toFixed(1)} s` : ""}.`,
      );
      await pause(pauseMs);
      if (isClosing) return;
      child = spawn();
      count += 1;
      if (failedBuild) child.send({ type: "build", failed: failedBuild });
      // Asked for while nobody was there to answer.
      for (let n = waiting.length; n > 0; n -= 1) askToReload();
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

  function tellPlace(stack: string): void {
    void p
      .mapStack(stack)
      .catch(() => stack)
      .then((place) => p.logger.error("event loop of the web process blocked", { place }));
  }

  function failWaiting(error: Error): void {
    const failed = waiting;
    waiting = [];
    for (const { reject } of failed) reject(error);
  }

  return {
    host,
    port,
    send: (message) => child.send(message),
    restarts: () => count,
    reload: () =>
      new Promise((resolve, reject) => {
        waiting.push({ resolve, reject });
        askToReload();
        // A new build is worth another try at once.
        endPause?.();
      }),
    reportBuild(failed) {
      failedBuild = failed;
      child.send({ type: "build", failed });
    },
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
