import { type ChildProcess, fork } from "node:child_process";
import { entryFile } from "../../../server/paths.ts";
import type { Entry, EvaluatedEntry, EvaluationReply, EvaluationRequest, ThrownError } from "./protocol.ts";

/** A file whose top-level code ended the evaluating process. `output` is the end of its stderr. */
export type Crash = { file: string } & (
  | { reason: "hung"; afterMs: number }
  | { reason: "exited"; code: number | null; signal: string | null; output: string }
  | { reason: "crashed"; error: ThrownError }
);

export interface Evaluation {
  entries: EvaluatedEntry[];
  crashes: Crash[];
}

export interface Evaluator {
  /**
   * Evaluates workflows and agents, then triggers. If a file ends the process, the other files continue in a new
   * process, except for those that import it.
   */
  evaluate(p: {
    buildDir: string;
    entries: Entry[];
    importersOf: (file: string) => ReadonlySet<string>;
  }): Promise<Evaluation>;
  checkSources(p: { module: string; files: string[] }): Promise<{ differing: string[]; error: ThrownError | null }>;
  close(): void;
}

/** Starts a process that runs the user's top-level code, in the project's folder. `timeoutMs` applies to each file. */
export function createEvaluator(p: {
  projectDir: string;
  timeoutMs: number;
  signal?: AbortSignal | undefined;
}): Evaluator {
  let child = startChild(p.projectDir);
  const abort = (): void => void child.kill("SIGKILL");
  p.signal?.addEventListener("abort", abort);

  return {
    async evaluate({ buildDir, entries, importersOf }) {
      const result: Evaluation = { entries: [], crashes: [] };
      let remaining = entries;
      while (remaining.length > 0) {
        const crash = await evaluateInOne(
          child,
          { type: "evaluate", buildDir, entries: remaining },
          p.timeoutMs,
          result.entries,
        );
        p.signal?.throwIfAborted();
        if (!crash) break;
        if (crash.file === "")
          throw new Error(`The process that evaluates the project ended before it started: ${JSON.stringify(crash)}`);
        result.crashes.push(crash);
        const lost = importersOf(crash.file);
        const known = new Set(result.entries.map((entry) => entry.file));
        // Targets are evaluated again: triggers are compared with their definitions by identity.
        remaining = entries.filter(
          (entry) =>
            entry.file !== crash.file && !lost.has(entry.file) && (entry.kind !== "trigger" || !known.has(entry.file)),
        );
        remaining = remaining.filter(
          (entry) => !result.crashes.some(({ file }) => file === entry.file || importersOf(file).has(entry.file)),
        );
        child = startChild(p.projectDir);
      }
      result.entries = [...new Map(result.entries.map((entry) => [entry.file, entry])).values()];
      return result;
    },
    async checkSources({ module, files }) {
      const reply = await ask(child, { type: "check-sources", module, files }, p.timeoutMs);
      p.signal?.throwIfAborted();
      if (reply?.type === "sources-checked") return reply;
      return {
        differing: [],
        error: reply?.type === "crashed" ? reply.error : { message: "the sources did not finish loading", stack: "" },
      };
    },
    close() {
      p.signal?.removeEventListener("abort", abort);
      child.kill("SIGKILL");
    },
  };
}

function startChild(projectDir: string): ChildProcess {
  const child = fork(entryFile("evaluate"), [], {
    cwd: projectDir,
    execArgv: [],
    stdio: ["ignore", "ignore", "pipe", "ipc"],
    serialization: "advanced",
  });
  // The process has just ended; `close` handles its exit.
  child.on("error", () => {});
  return child;
}

/** Time limit for the start of the process. No user code runs in that time, and a busy machine is slow. */
const startTimeoutMs = 30_000;

/** Resolves with the file that ended the process, or `null` on success. */
function evaluateInOne(
  child: ChildProcess,
  request: EvaluationRequest,
  timeoutMs: number,
  entries: EvaluatedEntry[],
): Promise<Crash | null> {
  return new Promise((resolve) => {
    let file = "";
    let output = "";
    let timer = setTimeout(hang, startTimeoutMs);
    function hang(): void {
      child.kill("SIGKILL");
      end({ file, reason: "hung", afterMs: file === "" ? startTimeoutMs : timeoutMs });
    }
    function end(crash: Crash | null): void {
      clearTimeout(timer);
      child.removeAllListeners("message");
      child.removeAllListeners("close");
      resolve(crash);
    }
    child.stderr?.setEncoding("utf8").on("data", (text: string) => (output = (output + text).slice(-2000)));
    // `close` follows the last message and the last output on stderr.
    child.on("close", (code, signal) => end({ file, reason: "exited", code, signal, output }));
    child.on("message", (reply: EvaluationReply) => {
      timer = (clearTimeout(timer), setTimeout(hang, timeoutMs));
      if (reply.type === "evaluating") file = reply.file;
      if (reply.type === "evaluated") entries.push(reply.entry);
      if (reply.type === "crashed") end({ file, reason: "crashed", error: reply.error });
      if (reply.type === "all-evaluated") end(null);
    });
    if (child.connected) child.send(request);
    else end({ file, reason: "exited", code: child.exitCode, signal: child.signalCode, output });
  });
}

/** One request, one response; `null` if the process ends or the time limit passes first. */
function ask(child: ChildProcess, request: EvaluationRequest, timeoutMs: number): Promise<EvaluationReply | null> {
  return new Promise((resolve) => {
    const end = (reply: EvaluationReply | null): void => {
      clearTimeout(timer);
      child.removeAllListeners("message");
      child.removeAllListeners("close");
      resolve(reply);
    };
    const timer = setTimeout(() => end(null), timeoutMs);
    child.on("message", (reply: EvaluationReply) => end(reply));
    child.on("close", () => end(null));
    if (child.connected) child.send(request);
    else end(null);
  });
}
