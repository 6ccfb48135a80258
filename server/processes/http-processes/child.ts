import { getHeapStatistics } from "node:v8";
import { fork } from "node:child_process";
import { entryFile } from "../../paths.ts";
import { type ChildLiveness, watchLiveness } from "../event-loop/child-liveness.ts";
import { isFault } from "../worker/is-fault.ts";
import type { HttpProcessToSupervisor, ProcessStart, SupervisorToHttpProcess } from "../protocol.ts";
import { childEnvironment, pickEnvironment, selectWebVariables } from "../child-environment.ts";

export type HttpProgram = "receiver" | "web";

/** The names of the programs in messages. */
export const programNames: Record<HttpProgram, string> = { receiver: "receiver", web: "web process" };

/** A process of the receiver or web, from its start to its end. */
export interface HttpChild extends ChildLiveness {
  /** Monotonic milliseconds. */
  readonly startedAt: number;
  /** Monotonic milliseconds; `null` before it listens. */
  readyAt(): number | null;
  send(message: SupervisorToHttpProcess): void;
  /** Sends SIGKILL. `how`: a description of its end for the log. */
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
  /** The child gets only the variables that it needs. */
  env: NodeJS.ProcessEnv | undefined;
  stateDir: string;
  onMessage: (message: HttpProcessToSupervisor) => void;
}

/** Requests to the API leave much garbage behind. By default, web keeps 150 MB more of it, and answers no more requests. */
const webSemiSpaceMb = 8;
/**
 * By default, V8 collects the garbage of web only when it has hundreds of megabytes, on a machine with much memory. On
 * a small machine, its limit is lower than this one.
 */
const webHeapMb = Math.min(768, Math.floor(getHeapStatistics().heap_size_limit / 2 ** 20));

export function forkHttpChild(p: HttpChildOptions): HttpChild {
  const env = childEnvironment(p.start, pickEnvironment(selectWebVariables(p.stateDir), p.env));
  // The last entry is the pipe of the watcher thread (blockReportFd).
  const execArgv =
    p.program === "web" ? [`--max-semi-space-size=${webSemiSpaceMb}`, `--max-old-space-size=${webHeapMb}`] : [];
  const child = fork(entryFile(p.program), [], { env, execArgv, stdio: ["ignore", 2, 2, "ipc", "pipe"] });
  const liveness = watchLiveness(child);
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
  /** Open resources (pages, the store) may keep the process from exiting by itself. */
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
  // Its last messages may be received after its exit.
  child.on("exit", (code, signal) => setTimeout(() => endBy(code, signal), child.connected ? 200 : 0));

  return {
    ...liveness,
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
