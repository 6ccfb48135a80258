import { createRequire } from "node:module";
import { parentPort, workerData } from "node:worker_threads";
import type { Pattern } from "./count-backtracking.ts";

/** The thread that `checkRegexes` starts: it may block, and is then terminated. It sends one result per pattern. */
export interface RegexThreadData {
  /** The package that checks, a CommonJS module. */
  checkerFile: string;
  patterns: readonly Pattern[];
  /** For one pattern. */
  timeoutMs: number;
}

/** The part of the checker's result that is read. */
export type CheckedRegex =
  | { status: "safe" }
  | { status: "vulnerable"; complexity: { summary: string }; attack: { pattern: string } }
  | { status: "unknown"; error: { kind: string } };

interface Checker {
  checkSync(source: string, flags: string, options: { timeout: number; randomSeed: number }): CheckedRegex;
}

const { checkerFile, patterns, timeoutMs } = workerData as RegexThreadData;
const { checkSync } = createRequire(import.meta.url)(checkerFile) as Checker;

// oxlint-disable-next-line unicorn/require-post-message-target-origin -- the port of a thread has no origin
for (const pattern of patterns) parentPort?.postMessage(check(pattern));

function check({ source, flags }: Pattern): CheckedRegex {
  try {
    // A plain copy: the result has functions, which cannot be sent.
    return JSON.parse(JSON.stringify(checkSync(source, flags, { timeout: timeoutMs, randomSeed: 1 }))) as CheckedRegex;
  } catch (error) {
    return { status: "unknown", error: { kind: error instanceof Error ? error.message : String(error) } };
  }
}
