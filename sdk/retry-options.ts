import { parseDuration } from "./duration.ts";

/** When a failed attempt or try is repeated. `initialMs` doubles up to `maxMs` if exponential. */
export interface RetryDelays {
  backoff: "exponential" | "fixed";
  initialMs: number;
  maxMs: number;
}

interface OptionProblem {
  property: string;
  /** `is "linear"` */
  predicate: string;
}

export const delayNames = ["backoff", "initialDelay", "maxDelay"];

/** The delays of `retries` of a workflow, or of a step. Requires options without problems. */
export function readDelays({ backoff, initialDelay, maxDelay }: Readonly<Record<string, unknown>>): RetryDelays {
  return {
    backoff: backoff === "fixed" ? "fixed" : "exponential",
    initialMs: parseDuration(initialDelay ?? "1s") ?? 1000,
    maxMs: parseDuration(maxDelay ?? "1h") ?? 3_600_000,
  };
}

export function findDelayProblems(options: Readonly<Record<string, unknown>>): OptionProblem[] {
  const { backoff, initialDelay, maxDelay } = options;
  const problems: OptionProblem[] = [];
  const report = (property: string, predicate: string): void => void problems.push({ property, predicate });
  if (backoff !== undefined && backoff !== "exponential" && backoff !== "fixed")
    report("backoff", `is ${showOption(backoff)}`);
  if (initialDelay !== undefined && parseDuration(initialDelay) === null)
    report("initialDelay", `is ${showOption(initialDelay)}`);
  if (maxDelay !== undefined && parseDuration(maxDelay) === null) report("maxDelay", `is ${showOption(maxDelay)}`);
  const { initialMs, maxMs } = readDelays(options);
  if (problems.length === 0 && initialMs > maxMs)
    report("initialDelay", `is longer than maxDelay${maxDelay === undefined ? " (default: 1h)" : ""}`);
  return problems;
}

export function showOption(value: unknown): string {
  return typeof value === "string"
    ? JSON.stringify(value)
    : String(typeof value === "object" ? JSON.stringify(value) : value);
}

/** The options of a step, parsed. */
export interface StepPolicy {
  /** `attempts` counts the tries. `null`: the step has no retries of its own. */
  retries: (RetryDelays & { attempts: number }) | null;
  /** Of one try. */
  timeoutMs: number | null;
}

const maxRetries = 99;
const help = `Options are retries (0 to ${maxRetries}), timeout (a duration such as "10s") and, with retries, backoff ("exponential" or "fixed"), initialDelay and maxDelay (durations).`;

/** Parses the options of a step or a tool. `where` is the call, e.g. `ctx.step("charge", …)`. Throws a TypeError. */
export function readStepOptions(options: unknown, where: string): StepPolicy {
  if (options === undefined) return { retries: null, timeoutMs: null };
  if (typeof options !== "object" || options === null || Array.isArray(options))
    throw new TypeError(`${where}: the options are ${showOption(options)}. ${help}`);
  const given: Readonly<Record<string, unknown>> = { ...options };
  const { retries, timeout } = given;
  const timeoutMs = timeout === undefined ? null : parseDuration(timeout);
  const [problem] = [
    ...Object.keys(given)
      .filter((name) => !["retries", "timeout", ...delayNames].includes(name))
      .map((name) => `${name} is not an option`),
    ...(retries === undefined || isRetries(retries) ? [] : [`retries is ${showOption(retries)}`]),
    ...(timeout === undefined || (timeoutMs !== null && timeoutMs >= 1) ? [] : [`timeout is ${showOption(timeout)}`]),
    ...(retries === undefined
      ? delayNames.filter((name) => given[name] !== undefined).map((name) => `${name} needs retries`)
      : []),
    ...findDelayProblems(given).map(({ property, predicate }) => `${property} ${predicate}`),
  ];
  if (problem !== undefined) throw new TypeError(`${where}: ${problem}. ${help}`);
  return { retries: isRetries(retries) ? { attempts: retries + 1, ...readDelays(given) } : null, timeoutMs };
}

function isRetries(value: unknown): value is number {
  return typeof value === "number" && Number.isInteger(value) && value >= 0 && value <= maxRetries;
}
