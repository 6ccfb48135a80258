import { fork } from "node:child_process";
import { childEnvironment, pickEnvironment } from "../config.ts";
import { entryFile } from "../paths.ts";
import { type ChildPulse, followPulse } from "./child-pulse.ts";
import { isFault } from "./is-fault.ts";
import type { ProcessStart, SupervisorToWeb, WebToSupervisor } from "./protocol.ts";
import { readWebNeeds } from "./web-environment.ts";

export interface WebChild extends ChildPulse {
  /** Monotonic milliseconds. */
  readonly startedAt: number;
  /** Monotonic milliseconds; `null` before it serves. */
  readyAt(): number | null;
  send(message: SupervisorToWeb): void;
  /** SIGKILL; `how` is what is told of its end. */
  kill(how?: string): void;
  /** Rejects with what it said when it could not start. */
  readonly ready: Promise<{ host: string; port: number }>;
  readonly exited: Promise<WebEnd>;
}

export interface WebEnd {
  /** How it ended, in words. */
  how: string;
  isOwnFault: boolean;
}

export interface WebChildOptions {
  start: ProcessStart;
  /** Of which it gets what it needs. */
  env: NodeJS.ProcessEnv | undefined;
  stateDir: string;
  onMessage: (message: WebToSupervisor) => void;
}

export function forkWeb(p: WebChildOptions): WebChild {
  const env = childEnvironment(p.start, pickEnvironment(readWebNeeds(p.stateDir), p.env));
  // The last one is the pipe of its watching thread (blockReportFd).
  const child = fork(entryFile("web"), [], { env, execArgv: [], stdio: ["ignore", 2, 2, "ipc", "pipe"] });
  const pulse = followPulse(child);
  const ready = Promise.withResolvers<{ host: string; port: number }>();
  const exited = Promise.withResolvers<WebEnd>();
  let readyAt: number | null = null;
  let givenHow: string | null = null;
  // Whoever starts it may not look at this one.
  ready.promise.catch(() => {});

  child.on("message", (message: WebToSupervisor) => {
    if (message.type === "ready") {
      readyAt = performance.now();
      ready.resolve({ host: message.host, port: message.port });
    }
    if (message.type === "failed") fail(message.message);
    p.onMessage(message);
  });
  /** What it has begun already (pages, the store) may keep it from ending by itself. */
  const fail = (message: string) => {
    ready.reject(new Error(message));
    child.kill("SIGKILL");
  };
  const end = (how: string, isOwnFault: boolean) => {
    ready.reject(new Error(`The web process ${how} before it was ready.`));
    exited.resolve({ how, isOwnFault });
  };
  const endBy = (code: number | null, signal: string | null) => {
    if (givenHow !== null) return end(givenHow, false);
    if (signal !== null)
      return isFault(signal) ? end(`crashed (${signal})`, true) : end(`was killed (${signal})`, false);
    end(`ended with exit code ${code}`, code !== 0);
  };
  child.on("error", (error) => {
    if (child.pid === undefined) end(`could not be started (${error.message})`, true);
  });
  // Its last words may still be on the way when it has ended.
  child.on("exit", (code, signal) => setTimeout(() => endBy(code, signal), child.connected ? 200 : 0));

  return {
    ...pulse,
    startedAt: performance.now(),
    readyAt: () => readyAt,
    send: (message) => void (child.connected && child.send(message, () => {})),
    kill(how) {
      givenHow ??= how ?? null;
      child.kill("SIGKILL");
    },
    ready: ready.promise,
    exited: exited.promise,
  };
}
