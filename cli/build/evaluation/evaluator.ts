import type { ChildProcess } from "node:child_process";
import { measureSilence } from "../../../server/processes/event-loop/processor-wait.ts";
import { schemasOf } from "../checks/check-schemas.ts";
import type { Entry, EvaluatedEntry, EvaluationReply, EvaluationRequest, ThrownError } from "./protocol.ts";
import { type Standby, startEvaluation } from "./standby.ts";

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
  evaluate(plan: EvaluationPlan): Promise<Evaluation>;
  checkSources(request: {
    module: string;
    files: string[];
  }): Promise<{ differing: string[]; error: ThrownError | null }>;
  close(): void;
}

interface EvaluationPlan {
  buildDir: string;
  entries: Entry[];
  importersOf: (file: string) => ReadonlySet<string>;
}

/**
 * Runs the user's top-level code in a process of its own, in the project's folder. `timeoutMs` applies to each file. A
 * failure in a process of `standby` counts only if it also occurs in a new one: the order of imports can matter.
 */
export function createEvaluator(options: {
  projectDir: string;
  timeoutMs: number;
  signal?: AbortSignal | undefined;
  standby?: Standby | undefined;
}): Evaluator {
  // While the bundle is made, the process starts.
  let current = options.standby ? null : { child: startEvaluation(options.projectDir), isWarm: false };
  let plan: EvaluationPlan | null = null;
  const abort = (): void => void current?.child.kill("SIGKILL");
  options.signal?.addEventListener("abort", abort);

  function restart(): ChildProcess {
    current?.child.kill("SIGKILL");
    current = { child: startEvaluation(options.projectDir), isWarm: false };
    return current.child;
  }

  async function evaluateAll({ buildDir, entries, importersOf }: EvaluationPlan): Promise<Evaluation> {
    current ??= options.standby?.take() ?? null;
    let child = current?.child ?? restart();
    const result: Evaluation = { entries: [], crashes: [] };
    let remaining = entries;
    while (remaining.length > 0) {
      const crash = await evaluateInOne(
        child,
        { type: "evaluate", buildDir, entries: remaining },
        options.timeoutMs,
        result.entries,
      );
      options.signal?.throwIfAborted();
      if (current?.isWarm && (crash || result.entries.some(isFailure))) {
        restart();
        return await evaluateAll({ buildDir, entries, importersOf });
      }
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
      child = restart();
    }
    result.entries = [...new Map(result.entries.map((entry) => [entry.file, entry])).values()];
    return result;
  }

  async function checkSources(request: { module: string; files: string[] }): ReturnType<Evaluator["checkSources"]> {
    const reply = await ask(current?.child ?? restart(), { type: "check-sources", ...request }, options.timeoutMs);
    options.signal?.throwIfAborted();
    const result =
      reply?.type === "sources-checked"
        ? reply
        : {
            differing: [],
            error:
              reply?.type === "crashed" ? reply.error : { message: "the sources did not finish loading", stack: "" },
          };
    if (!current?.isWarm || plan === null || (result.error === null && result.differing.length === 0)) return result;
    restart();
    await evaluateAll(plan);
    return await checkSources(request);
  }

  return {
    evaluate(given) {
      plan = given;
      return evaluateAll(given);
    },
    checkSources,
    close() {
      options.signal?.removeEventListener("abort", abort);
      current?.child.kill("SIGKILL");
    },
  };
}

/** A failure that another order of imports can cause, unlike the type of an export. */
function isFailure(entry: EvaluatedEntry): boolean {
  const problems = schemasOf(entry).flatMap(({ schema }) => schema.problems);
  return entry.outcome === "threw" || problems.some(({ kind }) => kind === "export-failed");
}

/** Time limit for the start of the process. No user code runs in that time, and a busy machine is slow. */
const startTimeoutMs = 30_000;

const checkEveryMs = 100;

/** Calls `onHung` once the process has sent nothing for so long, without the time in which it waited for a processor. */
function watchSilence(child: ChildProcess, limitMs: () => number, onHung: () => void): { heard(): void; stop(): void } {
  const silence = measureSilence(child.pid);
  const timer = setInterval(() => {
    if (silence.ms() >= limitMs()) onHung();
  }, checkEveryMs);
  return { heard: silence.end, stop: () => clearInterval(timer) };
}

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
    const limitMs = (): number => (file === "" ? startTimeoutMs : timeoutMs);
    const silence = watchSilence(child, limitMs, () => {
      child.kill("SIGKILL");
      end({ file, reason: "hung", afterMs: limitMs() });
    });
    function end(crash: Crash | null): void {
      silence.stop();
      child.removeAllListeners("message");
      child.removeAllListeners("close");
      resolve(crash);
    }
    child.stderr?.setEncoding("utf8").on("data", (text: string) => (output = (output + text).slice(-2000)));
    // `close` follows the last message and the last output on stderr.
    child.on("close", (code, signal) => end({ file, reason: "exited", code, signal, output }));
    child.on("message", (reply: EvaluationReply) => {
      silence.heard();
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
      silence.stop();
      child.removeAllListeners("message");
      child.removeAllListeners("close");
      resolve(reply);
    };
    const silence = watchSilence(
      child,
      () => timeoutMs,
      () => end(null),
    );
    child.on("message", (reply: EvaluationReply) => end(reply));
    child.on("close", () => end(null));
    if (child.connected) child.send(request);
    else end(null);
  });
}
