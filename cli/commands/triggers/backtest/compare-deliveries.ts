import { availableParallelism } from "node:os";
import { Worker } from "node:worker_threads";
import type { Backtest } from "../../../../server/contract/backtest.ts";
import { mergeBacktests } from "../../../../server/matching/backtest.ts";
import { entryFile } from "../../../../server/paths.ts";
import { Failure } from "../../../terminal/failure.ts";
import type { BacktestThreadData, FromBacktestThread, ToBacktestThread } from "./thread.ts";

/** Batches that a thread has not compared yet. */
const maxPending = 4;
const maxThreads = Math.min(4, availableParallelism());
const minBatchBytes = 256 * 1024;
const newline = 10;

interface Progress {
  /** The number of deliveries so far. */
  deliveries: number;
  /** The time of the oldest one. */
  oldestAt: number;
}

/**
 * Compares exported deliveries, one per line, with a build. Many deliveries are compared in several threads. `onOutput`
 * gets what the project's code prints.
 */
export async function compareDeliveries(
  data: BacktestThreadData,
  options: {
    deliveries: AsyncIterable<Uint8Array>;
    onOutput: (text: string) => void;
    onProgress: (progress: Progress) => void;
  },
): Promise<Backtest> {
  const threads: CompareThread[] = [];
  const stopped = Promise.withResolvers<never>();
  const total: Progress = { deliveries: 0, oldestAt: data.request.until };
  let answer = Promise.withResolvers<void>();
  function start(): CompareThread {
    const thread = startThread(data, {
      onOutput: options.onOutput,
      onError: stopped.reject,
      onCompared({ deliveries, oldestAt }) {
        total.deliveries += deliveries;
        total.oldestAt = Math.min(total.oldestAt, oldestAt);
        options.onProgress(total);
        answer.resolve();
        answer = Promise.withResolvers();
      },
    });
    threads.push(thread);
    return thread;
  }
  async function findFree(): Promise<CompareThread> {
    for (;;) {
      const [free] = threads.toSorted((a, b) => a.pending() - b.pending());
      if (free && free.pending() < maxPending) return free;
      if (threads.length < maxThreads) return start();
      await answer.promise;
    }
  }
  async function compareAll(): Promise<Backtest> {
    for await (const bytes of wholeLines(options.deliveries)) (await findFree()).compare(bytes);
    if (threads.length === 0) start();
    return mergeBacktests(await Promise.all(threads.map((thread) => thread.end())));
  }
  try {
    return await Promise.race([compareAll(), stopped.promise]);
  } finally {
    // They may have ended already.
    stopped.promise.catch(() => {});
    await Promise.all(threads.map((thread) => thread.terminate()));
  }
}

interface CompareThread {
  compare(bytes: Uint8Array): void;
  /** The number of batches that it has not compared yet. */
  pending(): number;
  end(): Promise<Backtest>;
  terminate(): Promise<unknown>;
}

function startThread(
  data: BacktestThreadData,
  {
    onOutput,
    onCompared,
    onError,
  }: { onOutput: (text: string) => void; onCompared: (batch: Progress) => void; onError: (error: Failure) => void },
): CompareThread {
  const thread = new Worker(entryFile("backtest-thread"), {
    workerData: data,
    execArgv: [],
    // Bodies are garbage at once: with more room for new objects, none is copied to the old ones.
    resourceLimits: { maxYoungGenerationSizeMb: 64 },
    stdout: true,
    stderr: true,
  });
  for (const output of [thread.stdout, thread.stderr]) output.setEncoding("utf8").on("data", onOutput);
  const result = Promise.withResolvers<Backtest>();
  let pending = 0;
  thread.once("error", (error) => onError(stoppedBy(error)));
  thread.once("exit", () => onError(endedEarly()));
  thread.on("message", (message: FromBacktestThread) => {
    if (message.type === "result") return result.resolve(message.backtest);
    pending -= 1;
    onCompared(message);
  });
  // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a thread has no origin
  const send = (message: ToBacktestThread) => thread.postMessage(message);
  return {
    compare(bytes) {
      pending += 1;
      send({ type: "lines", bytes });
    },
    pending: () => pending,
    end() {
      send({ type: "end" });
      return result.promise;
    },
    terminate: () => thread.terminate(),
  };
}

/** An error that nothing in the thread caught: usually one of the project's code. */
function stoppedBy(cause: unknown): Failure {
  const [why = ""] = (cause instanceof Error ? cause.message : String(cause)).split("\n", 1);
  return new Failure(`The comparison stopped: ${why}`, {
    code: "comparison_stopped",
    fix: "If a transform of the project throws this error outside of its own promise, catch it there.",
    cause,
  });
}

function endedEarly(): Failure {
  return new Failure("The project's code ended the comparison: it called process.exit(), or used too much memory.", {
    code: "comparison_stopped",
    fix: "Look for process.exit() in the code of triggers and their transforms.",
  });
}

/** Joins chunks to batches that end with a line. */
async function* wholeLines(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  let waiting: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of chunks) {
    waiting.push(chunk);
    bytes += chunk.length;
    if (bytes < minBatchBytes || !chunk.includes(newline)) continue;
    const joined = Buffer.concat(waiting);
    const end = joined.lastIndexOf(newline) + 1;
    yield joined.subarray(0, end);
    waiting = [joined.subarray(end)];
    bytes = joined.length - end;
  }
  if (bytes > 0) yield Buffer.concat(waiting);
}
