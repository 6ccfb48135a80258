import { Worker } from "node:worker_threads";
import { regexCheckerFile } from "../../../server/paths.ts";

export type RegexVerdict =
  | { status: "safe" }
  /** `attack`: a text that keeps it busy, as an expression. */
  | { status: "vulnerable"; complexity: string; attack: string }
  | { status: "unknown"; reason: string };

export interface Pattern {
  source: string;
  flags: string;
}

/** For one expression, in milliseconds; twice of it, and the thread that looks is ended. */
const timeoutMs = 3000;

/** Expressions are looked at once in the life of this process: a rebuild asks for the same ones again. */
const known = new Map<string, RegexVerdict>();

/** Whether texts exist that keep these expressions busy for very long: a verdict for each, in their order. */
export async function checkRegexes(patterns: readonly Pattern[]): Promise<RegexVerdict[]> {
  const unknown = new Map<string, Pattern>();
  for (const pattern of patterns) {
    const key = keyOf(pattern);
    if (known.has(key)) continue;
    if (repeats(pattern)) unknown.set(key, pattern);
    else known.set(key, { status: "safe" });
  }
  if (unknown.size > 0) await lookAt(unknown);
  return patterns.map((pattern) => known.get(keyOf(pattern)) ?? { status: "unknown", reason: "it took too long" });
}

function keyOf({ source, flags }: Pattern): string {
  return `/${source}/${flags}`;
}

/** Without a repetition, an expression reads each character a bounded number of times. */
function repeats({ source }: Pattern): boolean {
  return /[*+]|\{\d+(?:,\d*)?\}/.test(source);
}

type CheckedRegex =
  | { status: "safe" }
  | { status: "vulnerable"; complexity: { summary: string }; attack: { pattern: string } }
  | { status: "unknown"; error: { kind: string } };

/**
 * In a thread: the checker blocks while it thinks, and it can be ended.
 */
function lookAt(patterns: ReadonlyMap<string, Pattern>): Promise<void> {
  const worker = new Worker(checkerSource, {
    eval: true,
    workerData: { recheck: regexCheckerFile(), patterns: [...patterns.values()], timeoutMs },
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
    checked = checkSync(source, flags, { timeout: workerData.timeoutMs });
  } catch (error) {
    checked = { status: "unknown", error: { kind: String(error && error.message) } };
  }
  parentPort.postMessage(JSON.parse(JSON.stringify(checked)));
}
`;

function toVerdict(checked: CheckedRegex): RegexVerdict {
  if (checked.status === "safe") return { status: "safe" };
  if (checked.status === "unknown") return { status: "unknown", reason: checked.error.kind === "timeout" ? "it took too long" : checked.error.kind };
  const { pattern } = checked.attack;
  return { status: "vulnerable", complexity: checked.complexity.summary.replace(/ \(fuzz\)$/, ""), attack: pattern.length > 80 ? `${pattern.slice(0, 79)}…` : pattern };
}
