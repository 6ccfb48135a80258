import { Worker } from "node:worker_threads";
import type { Backtest } from "../../../../server/contract/backtest.ts";
import { entryFile } from "../../../../server/paths.ts";
import { Failure } from "../../../terminal/failure.ts";
import type { BacktestThreadData, FromBacktestThread, ToBacktestThread } from "./thread.ts";

/** Messages to the thread that it has not handled yet. */
const maxPending = 4;
const minBatchBytes = 256 * 1024;
const newline = 10;

/**
 * Compares exported deliveries, one per line, with a build. `onOutput` gets what the project's code prints.
 * `onProgress` gets the number of deliveries so far, and the time of the oldest one.
 */
export async function compareDeliveries(
  data: BacktestThreadData,
  p: {
    deliveries: AsyncIterable<Uint8Array>;
    onOutput: (text: string) => void;
    onProgress: (progress: { deliveries: number; oldestAt: number }) => void;
  },
): Promise<Backtest> {
  const thread = new Worker(entryFile("backtest-thread"), {
    workerData: data,
    execArgv: [],
    // Bodies are garbage at once: with more room for new objects, none is copied to the old ones.
    resourceLimits: { maxYoungGenerationSizeMb: 64 },
    stdout: true,
    stderr: true,
  });
  for (const output of [thread.stdout, thread.stderr]) output.setEncoding("utf8").on("data", p.onOutput);
  const ended = new Promise<never>((_, reject) => {
    thread.once("error", (error) => reject(stopped(error)));
    thread.once("exit", () => reject(endedEarly()));
  });
  const answers: (() => void)[] = [];
  let deliveries = 0;
  const result = new Promise<Backtest>((resolve) => {
    thread.on("message", (message: FromBacktestThread) => {
      if (message.type === "result") return resolve(message.backtest);
      deliveries += message.deliveries;
      p.onProgress({ deliveries, oldestAt: message.oldestAt });
      answers.shift()?.();
    });
  });
  // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a thread has no origin
  const send = (message: ToBacktestThread) => thread.postMessage(message);
  const sendAll = async () => {
    const pending: Promise<void>[] = [];
    for await (const bytes of wholeLines(p.deliveries)) {
      send({ type: "lines", bytes });
      pending.push(new Promise((resolve) => void answers.push(resolve)));
      if (pending.length >= maxPending) await pending.shift();
    }
    send({ type: "end" });
    return result;
  };
  try {
    return await Promise.race([sendAll(), ended]);
  } finally {
    // It may have ended already.
    ended.catch(() => {});
    await thread.terminate();
  }
}

/** An error that nothing in the thread caught: usually one of the project's code. */
function stopped(cause: unknown): Failure {
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
