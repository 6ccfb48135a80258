import { fork } from "node:child_process";
import { childEnvironment, pickEnvironment } from "../../config.ts";
import { entryFile } from "../../paths.ts";
import { type ChildPulse, followPulse } from "../child-pulse.ts";
import { isFault } from "../is-fault.ts";
import type { HttpProcessToSupervisor, ProcessStart, SupervisorToHttpProcess } from "../protocol.ts";
import { readWebNeeds } from "../web-environment.ts";

export type HttpProgram = "receiver" | "web";

/** How messages name each program. */
export const programNames: Record<HttpProgram, string> = { receiver: "receiver", web: "web process" };

/** The receiver or web, from its start to its end. */
export interface HttpChild extends ChildPulse {
  /** Monotonic milliseconds. */
  readonly startedAt: number;
  /** Monotonic milliseconds; `null` before it listens. */
  readyAt(): number | null;
  send(message: SupervisorToHttpProcess): void;
  /** SIGKILL; `how` describes its end to people. */
  kill(how?: string): void;
  /** Resolves to the public port; `null` from web. Rejects with the reason why it could not start. */
  readonly ready: Promise<number | null>;
  readonly exited: Promise<HttpChildEnd>;
}

export interface HttpChildEnd {
  /** How it ended, in words. */
  how: string;
  isOwnFault: boolean;
}

interface HttpChildOptions {
  program: HttpProgram;
  start: ProcessStart;
  /** The child gets what it needs of it. */
  env: NodeJS.ProcessEnv | undefined;
  stateDir: string;
  onMessage: (message: HttpProcessToSupervisor) => void;
}

export function forkHttpChild(p: HttpChildOptions): HttpChild {
  const env = childEnvironment(p.start, pickEnvironment(readWebNeeds(p.stateDir), p.env));
  // The last one is the pipe of its watching thread (blockReportFd).
  const child = fork(entryFile(p.program), [], { env, execArgv: [], stdio: ["ignore", 2, 2, "ipc", "pipe"] });
  const pulse = followPulse(child);
  const ready = Promise.withResolvers<number | null>();
  const exited = Promise.withResolvers<HttpChildEnd>();
  let readyAt: number | null = null;
  let givenHow: string | null = null;
  // The caller may not await it.
  ready.promise.catch(() => {});

  child.on("message", (message: HttpProcessToSupervisor) => {
    if (message.type === "ready") {
      readyAt = performance.now();
      ready.resolve(message.port);
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
    ready.reject(new Error(`The ${programNames[p.program]} ${how} before it was ready.`));
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
  // Its last messages may still be on the way when it has ended.
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
