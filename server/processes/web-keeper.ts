import type { Settings } from "../config.ts";
import type { Logger } from "../ports/logger.ts";
import type { ProcessStart, Reporter, WebToSupervisor } from "./protocol.ts";
import { type WebChild, forkWeb } from "./web-child.ts";

export interface WebKeeper {
  readonly host: string;
  readonly port: number;
  /** Resolves when the web process serves the new build; rejects with why it does not. */
  reload(): Promise<void>;
  close(withinMs: number): Promise<void>;
}

const longestBackoffMs = 30_000;
const settledAfterMs = 10_000;

/** Starts the web process, and again whenever it dies, on the same port. Rejects when it cannot start the first time. */
export async function keepWeb(p: {
  settings: Settings;
  env: NodeJS.ProcessEnv | undefined;
  reporter: Reporter;
  logger: Logger;
  onMessage: (message: WebToSupervisor) => void;
}): Promise<WebKeeper> {
  const { settings, reporter } = p;
  let flags: NonNullable<ProcessStart["flags"]> = { port: settings.port, host: settings.host };
  let waiting: { resolve: () => void; reject: (error: Error) => void }[] = [];
  let isClosing = false;
  let quickDeaths = 0;
  /** Ends the pause before the next start. */
  let endPause: (() => void) | null = null;
  let child = spawn();
  const { host, port } = await child.ready.catch(async (error: unknown) => {
    await child.exited;
    throw error;
  });
  // Chosen by the system where it was 0.
  flags = { port, host: settings.host };
  void keepAlive();

  function spawn(): WebChild {
    return forkWeb({ start: { projectDir: settings.projectDir, mode: settings.mode, flags }, env: p.env, onMessage: hear });
  }

  function hear(message: WebToSupervisor): void {
    if (message.type !== "reloaded") return p.onMessage(message);
    const [first] = waiting.splice(0, 1);
    if (message.error === null) first?.resolve();
    else first?.reject(new Error(message.error));
  }

  async function keepAlive(): Promise<void> {
    for (;;) {
      const startedAt = performance.now();
      const how = await child.exited;
      failWaiting(new Error(`The web process ${how}.`));
      if (isClosing) return;
      quickDeaths = performance.now() - startedAt > settledAfterMs ? 0 : quickDeaths + 1;
      const delayMs = quickDeaths <= 1 ? 0 : Math.min(longestBackoffMs, 250 * 2 ** (quickDeaths - 2));
      reporter.notice("error", `The web process ${how}. It is started again${delayMs > 0 ? ` in ${(delayMs / 1000).toFixed(1)} s` : ""}.`);
      await new Promise<void>((resolve) => {
        endPause = resolve;
        setTimeout(resolve, delayMs);
      });
      if (isClosing) return;
      child = spawn();
      // Asked for while nobody was there to answer.
      for (let n = waiting.length; n > 0; n -= 1) child.send({ type: "reload" });
      child.ready.catch((error: Error) => reporter.notice("error", error.message));
    }
  }

  function failWaiting(error: Error): void {
    const failed = waiting;
    waiting = [];
    for (const { reject } of failed) reject(error);
  }

  return {
    host,
    port,
    reload: () =>
      new Promise((resolve, reject) => {
        waiting.push({ resolve, reject });
        child.send({ type: "reload" });
        // A new build is worth another try at once.
        endPause?.();
      }),
    async close(withinMs) {
      isClosing = true;
      endPause?.();
      child.send({ type: "shutdown" });
      const killer = setTimeout(() => child.kill(), withinMs);
      await child.exited;
      clearTimeout(killer);
    },
  };
}
