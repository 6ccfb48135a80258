import { type ChildProcess, fork } from "node:child_process";
import { dirname } from "node:path";
import type { Json } from "../../contract/json.ts";
import type { ProblemError } from "../../contract/problem.ts";
import { type Target, targetName } from "../../contract/project/target.ts";
import { entryFile } from "../../paths.ts";
import type { InputChecks } from "../../ports/input-checks.ts";
import type { Logger } from "../../ports/logger.ts";
import { workerEnvironment } from "../worker/worker-child.ts";

export interface ToInputChecker {
  id: number;
  target: Target;
  input: Json;
}

/** `reason`: why `errors` is `null`. */
export interface FromInputChecker {
  id: number;
  errors: ProblemError[] | null;
  reason: string;
}

type Verdict = Pick<FromInputChecker, "errors" | "reason">;

const idleMs = 60_000;
/** After a process that ended by itself, or did not answer in time: most likely, the next one would do the same. */
const pauseMs = 10_000;

/**
 * Parses inputs in a process of its own, which is started by the first input, and ends after a minute without one. It
 * has the environment of a worker, because it loads the same code.
 */
export function createInputChecks(p: {
  stateDir: string;
  env?: NodeJS.ProcessEnv | undefined;
  memoryMb: number;
  logger: Logger;
  /** For one input, with the start of the process, and loading the module of the workflow. Default: 20 seconds. */
  timeoutMs?: number;
}): InputChecks & { close(): void } {
  const checkers = new Map<string, Checker>();
  const pausedUntil = new Map<string, number>();

  function checkerOf(version: string): Checker {
    const known = checkers.get(version);
    if (known) return known;
    // Usually this is the first input after a new build.
    for (const other of checkers.values()) other.retire();
    const checker = startChecker({
      timeoutMs: 20_000,
      ...p,
      version,
      onEnd(isFailure) {
        checkers.delete(version);
        if (isFailure) pausedUntil.set(version, performance.now() + pauseMs);
      },
    });
    checkers.set(version, checker);
    return checker;
  }

  async function ask({ version, ...question }: Parameters<InputChecks["check"]>[0]): Promise<Verdict> {
    if (performance.now() < (pausedUntil.get(version) ?? 0))
      return { errors: null, reason: "The process that checks inputs has ended a moment ago." };
    return checkerOf(version).ask(question);
  }

  return {
    async check(question) {
      const { errors, reason } = await ask(question);
      if (errors === null)
        p.logger.warn("an input could not be checked, its run decides", {
          target: targetName(question.target),
          version: question.version,
          reason,
        });
      return errors;
    },
    close() {
      for (const checker of checkers.values()) checker.kill();
    },
  };
}

/** The process for one build. */
interface Checker {
  ask(question: Omit<ToInputChecker, "id">): Promise<Verdict>;
  /** Ends the process when it has answered. */
  retire(): void;
  kill(): void;
}

function startChecker(p: {
  stateDir: string;
  version: string;
  env?: NodeJS.ProcessEnv | undefined;
  memoryMb: number;
  timeoutMs: number;
  onEnd: (isFailure: boolean) => void;
}): Checker {
  const child = forkChecker(p);
  const pending = new Map<number, (verdict: Verdict) => void>();
  let questions = 0;
  let isRetired = false;
  let idle: NodeJS.Timeout | undefined;

  const end = (reason: string, isFailure: boolean) => {
    clearTimeout(idle);
    child.removeAllListeners("exit");
    child.kill("SIGKILL");
    p.onEnd(isFailure);
    for (const resolve of pending.values()) resolve({ errors: null, reason });
    pending.clear();
  };
  const rest = () => {
    if (pending.size > 0) return;
    if (isRetired) end("", false);
    else idle = setTimeout(() => end("", false), idleMs).unref();
  };

  child.on("message", ({ id, ...verdict }: FromInputChecker) => {
    pending.get(id)?.(verdict);
    pending.delete(id);
    rest();
  });
  // A message cannot be sent to a child that is exiting.
  child.on("error", () => {});
  child.once("exit", (code, signal) =>
    end(`The process that checks inputs ended with ${signal ?? `code ${code}`}.`, true),
  );

  return {
    async ask(question) {
      clearTimeout(idle);
      questions += 1;
      const id = questions;
      const answered = Promise.withResolvers<Verdict>();
      pending.set(id, answered.resolve);
      const timer = setTimeout(() => end("The schema was not evaluated in time.", true), p.timeoutMs);
      child.send({ id, ...question } satisfies ToInputChecker);
      return await answered.promise.finally(() => clearTimeout(timer));
    },
    retire() {
      isRetired = true;
      clearTimeout(idle);
      rest();
    },
    kill: () => end("The service is stopping.", false),
  };
}

function forkChecker({ stateDir, version, env, memoryMb }: Parameters<typeof startChecker>[0]): ChildProcess {
  return fork(entryFile("input-checker"), [stateDir, version], {
    cwd: dirname(stateDir),
    env: { MALLOC_ARENA_MAX: "2", ...workerEnvironment(stateDir, env) },
    execArgv: [`--max-old-space-size=${memoryMb}`],
    // What the code prints while it loads, workers print as well.
    stdio: ["ignore", "ignore", "ignore", "ipc"],
  });
}
