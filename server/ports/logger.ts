import { isStoreUnavailable } from "../contract/app-error.ts";
import type { Target } from "../contract/project/target.ts";
import type { RunAttempt } from "./store/engine-store.ts";

type Log = (message: string, fields?: Record<string, unknown>) => void;

/** Structured logging. Fields never contain keys, cookies or authorization headers. */
export interface Logger {
  debug(message: string, fields?: Record<string, unknown>): void;
  info(message: string, fields?: Record<string, unknown>): void;
  warn(message: string, fields?: Record<string, unknown>): void;
  error(message: string, fields?: Record<string, unknown>): void;
}

export const silentLogger: Logger = { debug() {}, info() {}, warn() {}, error() {} };

const repeatEveryMs = 60_000;
/** Without a line for so long, a problem is over: its next line is complete again. */
const forgetAfterMs = 10 * 60_000;
const maxProblems = 1_000;

interface Problem {
  writtenAt: number;
  /** When it was last reported, even if no line was written. */
  reportedAt: number;
  suppressed: number;
  /** Its messages and errors that were written. */
  known: Set<string>;
}

/**
 * Throttles warnings and errors that repeat with each request, poll or retry. The first line about a problem is written
 * immediately, with the stack of its error. Afterwards, one line a minute has the number of suppressed lines
 * (`suppressed`) and the message of the error. An unavailable store is one problem of all operations: each further
 * message about it, and each further error, is written once.
 *
 * Lines about different runs or workers are different problems. A message without fields reports one event, e.g. that a
 * process ended, and is always written. `now` is monotonic milliseconds.
 */
export function createThrottledLogger(logger: Logger, now: () => number = () => performance.now()): Logger {
  const problems = new Map<string, Problem>();

  function problemOf(name: string, at: number): Problem {
    const known = problems.get(name);
    problems.delete(name);
    const problem =
      known && at - known.reportedAt < forgetAfterMs
        ? known
        : { writtenAt: at, reportedAt: at, suppressed: 0, known: new Set<string>() };
    const [oldest] = problems.keys();
    if (problems.size >= maxProblems && oldest !== undefined) problems.delete(oldest);
    problems.set(name, problem);
    problem.reportedAt = at;
    return problem;
  }

  const throttle =
    (log: Log): Log =>
    (message, fields) => {
      if (!fields) return log(message);
      const at = now();
      const error = Object.values(fields).find((value) => value instanceof Error);
      const problem = problemOf(nameProblem(message, fields, error), at);
      const failure = error && describeBriefly(error);
      const isNewError = failure !== undefined && isStoreUnavailable(error) && !problem.known.has(failure);
      const isFirst = problem.known.size === 0;
      if (!isFirst && !isNewError && problem.known.has(message) && at - problem.writtenAt < repeatEveryMs) {
        problem.suppressed += 1;
        return;
      }
      problem.known.add(message);
      if (failure !== undefined && isStoreUnavailable(error)) problem.known.add(failure);
      problem.writtenAt = at;
      const { suppressed } = problem;
      problem.suppressed = 0;
      const written = isFirst || isNewError ? fields : withoutStacks(fields);
      log(message, suppressed > 0 ? { ...written, suppressed } : written);
    };
  return { ...logger, warn: throttle(logger.warn), error: throttle(logger.error) };
}

/** Messages are fixed texts. Errors are distinguished by the code that created them: their messages can have data. */
function nameProblem(message: string, fields: Record<string, unknown>, error: Error | undefined): string {
  if (error && isStoreUnavailable(error)) return error.code;
  if (error) return `${message} ${error.name} ${/^ +at .*/m.exec(error.stack ?? "")?.[0] ?? ""}`;
  return JSON.stringify([message, fields["runId"], fields["workerId"]]);
}

function withoutStacks(fields: Record<string, unknown>): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(fields).map(([name, value]) => [name, value instanceof Error ? describeBriefly(value) : value]),
  );
}

/** Without the causes, whose messages an operation wraps for people. */
const describeBriefly = ({ name, message }: Error): string => `${name}: ${message}`;

/** The fields of every log line about a run. `workflow` or `agent` is its target. */
export type RunLogFields = { runId: string; deliveryId: string | null; attempt: number } & (
  | { workflow: string }
  | { agent: string }
);

export function runLogFields({
  id,
  deliveryId,
  target,
  attempt,
}: Pick<RunAttempt, "id" | "deliveryId" | "target" | "attempt">): RunLogFields {
  return { runId: id, deliveryId, ...targetLogFields(target), attempt };
}

export function targetLogFields({ kind, slug }: Target): { workflow: string } | { agent: string } {
  return kind === "agent" ? { agent: slug } : { workflow: slug };
}
