import { Worker } from "node:worker_threads";
import { entryFile, regexCheckerFile } from "../../../server/paths.ts";
import { findBoundedAttack, type Pattern } from "./count-backtracking.ts";
import type { CheckedRegex, RegexThreadData } from "./regex-thread.ts";
import { formatNumber } from "../../../server/shared/format.ts";

export type RegexVerdict =
  | { status: "safe" }
  /** `cost`: `exponential time`. `attack`: a string that blocks it, as an expression. */
  | { status: "vulnerable"; cost: string; attack: string }
  | { status: "unknown"; reason: string };

/**
 * Time limit for one expression, in milliseconds. After twice that time the checking thread is terminated. It is long
 * enough for a busy machine, because an expression without a verdict fails the build.
 */
const defaultTimeoutMs = 10_000;

/** Verdicts of this process: a rebuild checks the same expressions again. */
const known = new Map<string, RegexVerdict>();

/** Whether strings exist that block these expressions: a verdict for each, in their order. */
export async function checkRegexes(
  patterns: readonly Pattern[],
  { timeoutMs = defaultTimeoutMs }: { timeoutMs?: number } = {},
): Promise<RegexVerdict[]> {
  const unknown = new Map<string, Pattern>();
  for (const pattern of patterns) {
    const key = keyOf(pattern);
    if (known.has(key)) continue;
    unknown.set(key, pattern);
  }
  const unbounded = new Map([...unknown].filter(([, pattern]) => isUnbounded(pattern)));
  if (unbounded.size > 0) await lookAt(unbounded, timeoutMs);
  for (const [key, pattern] of unknown)
    known.set(key, checkBounds(pattern, isUnbounded(pattern) ? (known.get(key) ?? tookTooLong) : { status: "safe" }));
  return patterns.map((pattern) => known.get(keyOf(pattern)) ?? tookTooLong);
}

const tookTooLong: RegexVerdict = { status: "unknown", reason: "it took too long" };

/**
 * The checker measures how the time grows with the length of the string. The cost of bounded repetitions, such as
 * twelve of `a?`, is counted here.
 */
function checkBounds(pattern: Pattern, verdict: RegexVerdict): RegexVerdict {
  if (verdict.status === "vulnerable") return verdict;
  const found = findBoundedAttack(pattern);
  if (found === null) return verdict;
  if (found === "unknown") return { status: "unknown", reason: "it can match in too many ways" };
  const steps = found.steps >= 1e9 ? "billions of" : formatNumber(found.steps);
  return { status: "vulnerable", cost: `${steps} steps for one attempt`, attack: found.attack };
}

/** As written in code, and in `uncheckedRegexes`. */
export function keyOf({ source, flags }: Pattern): string {
  return `/${source}/${flags}`;
}

/**
 * Whether the time can grow faster than the length of the string. Backreferences and lookbehinds are not counted step
 * by step, so the checker gets these, too.
 */
function isUnbounded({ source }: Pattern): boolean {
  return /[*+]|\{\d+,\}|\\[1-9k]|\(\?<[=!]/.test(source);
}

/**
 * With lower bounds of repetitions. This does not change how the time grows, and the checker can be exact instead of
 * trying random strings.
 */
function shorten({ source, flags }: Pattern): Pattern {
  const short = source.replaceAll(
    /\\.|\[(?:\\.|[^\]\\])*\]|\{(\d+),(\d*)\}/gs,
    (part: string, min?: string, max?: string) => {
      if (min === undefined) return part;
      if (max === "") return `{${Math.min(2, Number(min))},}`;
      return Number(max) <= Number(min) + 2 ? part : `{${min},${Number(min) + 2}}`;
    },
  );
  return { source: short, flags };
}

/** In a thread, because the checker blocks, and a thread can be terminated. */
function lookAt(patterns: ReadonlyMap<string, Pattern>, timeoutMs: number): Promise<void> {
  const worker = new Worker(entryFile("regex-thread"), {
    workerData: {
      checkerFile: regexCheckerFile(),
      patterns: [...patterns.values()].map(shorten),
      timeoutMs,
    } satisfies RegexThreadData,
    execArgv: [],
    stdout: true,
    stderr: true,
  });
  return new Promise((resolve) => {
    const keys = [...patterns.keys()];
    let timer = setTimeout(() => void worker.terminate(), timeoutMs * 3);
    worker.on("message", (checked: CheckedRegex) => {
      timer = (clearTimeout(timer), setTimeout(() => void worker.terminate(), timeoutMs * 2));
      const key = keys.shift();
      if (key !== undefined) known.set(key, toVerdict(checked));
    });
    worker.on("error", () => {});
    worker.on("exit", () => {
      clearTimeout(timer);
      resolve();
    });
  });
}

function toVerdict(checked: CheckedRegex): RegexVerdict {
  if (checked.status === "safe") return { status: "safe" };
  if (checked.status === "unknown")
    return { status: "unknown", reason: checked.error.kind === "timeout" ? "it took too long" : checked.error.kind };
  const { pattern } = checked.attack;
  return {
    status: "vulnerable",
    cost: `${checked.complexity.summary.replace(/ \(fuzz\)$/, "")} time`,
    attack: pattern.length > 80 ? `${pattern.slice(0, 79)}…` : pattern,
  };
}
