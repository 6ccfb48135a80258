import { fork } from "node:child_process";
import { childEnvironment } from "../config.ts";
import { entryFile } from "../paths.ts";
import type { ProcessStart, SupervisorToWeb, WebToSupervisor } from "./protocol.ts";

export interface WebChild {
  send(message: SupervisorToWeb): void;
  kill(): void;
  /** Rejects with what it said when it could not start. */
  readonly ready: Promise<{ host: string; port: number }>;
  /** How it ended, in words. */
  readonly exited: Promise<string>;
}

export function forkWeb(p: { start: ProcessStart; env: NodeJS.ProcessEnv | undefined; onMessage: (message: WebToSupervisor) => void }): WebChild {
  const child = fork(entryFile("web"), [], { env: childEnvironment(p.start, p.env), execArgv: [], stdio: ["ignore", 2, 2, "ipc"] });
  const ready = Promise.withResolvers<{ host: string; port: number }>();
  const exited = Promise.withResolvers<string>();
  // Whoever starts it may not look at this one.
  ready.promise.catch(() => {});

  child.on("message", (message: WebToSupervisor) => {
    if (message.type === "ready") ready.resolve({ host: message.host, port: message.port });
    if (message.type === "failed") fail(message.message);
    p.onMessage(message);
  });
  /** What it has begun already (pages, the store) may keep it from ending by itself. */
  const fail = (message: string) => {
    ready.reject(new Error(message));
    child.kill("SIGKILL");
  };
  const end = (how: string) => {
    ready.reject(new Error(`The web process ${how} before it was ready.`));
    exited.resolve(how);
  };
  child.on("error", (error) => {
    if (child.pid === undefined) end(`could not be started (${error.message})`);
  });
  // Its last words may still be on the way when it has ended.
  child.on("exit", (code, signal) => setTimeout(() => end(signal ? `was killed (${signal})` : `ended with exit code ${code}`), child.connected ? 200 : 0));

  return {
    send: (message) => void (child.connected && child.send(message, () => {})),
    kill: () => void child.kill("SIGKILL"),
    ready: ready.promise,
    exited: exited.promise,
  };
}
