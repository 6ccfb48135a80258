import { Worker } from "node:worker_threads";
import { regexCheckerFile } from "../../../server/paths.ts";
import { findBoundedAttack, type Pattern } from "./count-backtracking.ts";

export type RegexVerdict =
  | { status: "safe" }
  /** `cost`: `exponential time`. `attack`: a text that keeps it busy, as an expression. */
  | { status: "vulnerable"; cost: string; attack: string }
  | { status: "unknown"; reason: string };

/**
 * For one expression, in milliseconds; after twice that time the thread that checks is ended. Long enough for a busy
 * machine: an expression that is not judged fails the build.
 */
const timeoutMs = 10_000;

/** Expressions are looked at once in the life of this process: a rebuild asks for the same ones again. */
const known = new Map<string, RegexVerdict>();

/** Whether texts exist that keep these expressions busy for very long: a verdict for each, in their order. */
export async function checkRegexes(patterns: readonly Pattern[]): Promise<RegexVerdict[]> {
  const unknown = new Map<string, Pattern>();
  for (const pattern of patterns) {
    const key = keyOf(pattern);
    if (known.has(key)) continue;
    unknown.set(key, pattern);
  }
  const unbounded = new Map([...unknown].filter(([, pattern]) => isUnbounded(pattern)));
  if (unbounded.size > 0) await lookAt(unbounded);
  for (const [key, pattern] of unknown)
    known.set(key, judgeBounds(pattern, isUnbounded(pattern) ? (known.get(key) ?? tookTooLong) : { status: "safe" }));
  return patterns.map((pattern) => known.get(keyOf(pattern)) ?? tookTooLong);
}

const tookTooLong: RegexVerdict = { status: "unknown", reason: "it took too long" };

/**
 * The checker asks how the time grows with ever longer texts. What bounded repetitions cost, such as twelve of `a?`, is
 * counted here.
 */
function judgeBounds(pattern: Pattern, verdict: RegexVerdict): RegexVerdict {
  if (verdict.status === "vulnerable") return verdict;
  const found = findBoundedAttack(pattern);
  if (found === null) return verdict;
  if (found === "unknown") return { status: "unknown", reason: "it can match in too many ways" };
  const steps = found.steps >= 1e9 ? "billions of" : new Intl.NumberFormat("en").format(found.steps);
  return { status: "vulnerable", cost: `${steps} steps for one attempt`, attack: found.attack };
}

/** As it is written in code, which is how `uncheckedRegexes` names it. */
export function keyOf({ source, flags }: Pattern): string {
  return `/${source}/${flags}`;
}

/**
 * Whether the time can grow faster than the text. Backreferences and lookbehinds are not counted step by step, so the
 * checker sees these, too.
 */
function isUnbounded({ source }: Pattern): boolean {
  return /[*+]|\{\d+,\}|\\[1-9k]|\(\?<[=!]/.test(source);
}

/**
 * With less to repeat where there is a bound: that changes nothing about ever longer texts, and the checker can be
 * exact instead of trying at random.
 */
function shorten({ source, flags }: Pattern): Pattern {
  const short = source.replaceAll(
    /\\.|\[(?:\\.|[^\]\\])*\]|\{(\d+),(\d+)\}/gs,
    (part: string, min?: string, max?: string) =>
      min === undefined || Number(max) <= Number(min) + 2 ? part : `{${min},${Number(min) + 2}}`,
  );
  return { source: short, flags };
}

type CheckedRegex =
  | { status: "safe" }
  | { status: "vulnerable"; complexity: { summary: string }; attack: { pattern: string } }
  | { status: "unknown"; error: { kind: string } };

/** In a thread: the checker blocks while it thinks, and it can be ended. */
function lookAt(patterns: ReadonlyMap<string, Pattern>): Promise<void> {
  const worker = new Worker(checkerSource, {
    eval: true,
    workerData: { recheck: regexCheckerFile(), patterns: [...patterns.values()].map(shorten), timeoutMs },
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

const checkerSource = `
const { parentPort, workerData } = require("node:worker_threads");
const { checkSync } = require(workerData.recheck);
for (const { source, flags } of workerData.patterns) {
  let checked;
  try {
    checked = checkSync(source, flags, { timeout: workerData.timeoutMs, randomSeed: 1 });
  } catch (error) {
    checked = { status: "unknown", error: { kind: String(error && error.message) } };
  }
  parentPort.postMessage(JSON.parse(JSON.stringify(checked)));
}
`;

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
