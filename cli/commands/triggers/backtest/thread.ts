import { parentPort, workerData } from "node:worker_threads";
import {
  type Backtest,
  type RecordedDeliveryLine,
  recordedDeliverySchema,
} from "../../../../server/contract/backtest.ts";
import type { Manifest } from "../../../../server/contract/project/manifest.ts";
import { fromExportLine } from "../../../../server/deliveries/export-deliveries.ts";
import { type BacktestRequest, createBacktest } from "../../../../server/matching/backtest.ts";
import { loadCode } from "../../../../server/project/load-code.ts";
import { loadSources } from "../../../../server/project/project-reader.ts";
import { createInputCheck, type InputCheck } from "./check-input.ts";

/**
 * The thread that evaluates exported deliveries with a build, next to the thread that reads them. The project's code
 * runs here: what it prints does not get into the result, and it can end only this thread.
 */
export interface BacktestThreadData {
  stateDir: string;
  manifest: Manifest;
  request: BacktestRequest;
  check: InputCheck | null;
}

/** Complete lines of an export, or its end. */
export type ToBacktestThread = { type: "lines"; bytes: Uint8Array } | { type: "end" };

export type FromBacktestThread =
  /** One for each message with lines. */
  { type: "compared"; deliveries: number; oldestAt: number } | { type: "result"; backtest: Backtest };

const { stateDir, manifest, request, check } = workerData as BacktestThreadData;
const sources = await loadSources(stateDir, manifest);
const backtest = createBacktest(sources, request, check && createInputCheck(loadCode(stateDir, manifest), check));

let pending = Promise.resolve();
parentPort?.on("message", (message: ToBacktestThread) => {
  pending = pending.then(() => (message.type === "end" ? end() : compare(message.bytes)));
});

async function compare(bytes: Uint8Array): Promise<void> {
  const lines = new TextDecoder().decode(bytes).trimEnd().split("\n");
  let oldestAt = request.until;
  for (const [at, line] of lines.entries()) {
    // The lines of an export have the same form, so one of each batch is checked.
    const delivery = fromExportLine(at === 0 ? checkLine(line) : (JSON.parse(line) as RecordedDeliveryLine));
    oldestAt = Date.parse(delivery.receivedAt);
    await backtest.add(delivery);
  }
  send({ type: "compared", deliveries: lines.length, oldestAt });
}

function checkLine(line: string): RecordedDeliveryLine {
  const parsed = recordedDeliverySchema.safeParse(JSON.parse(line));
  if (parsed.success) return parsed.data;
  throw new Error("A line of the export is not a delivery. The service may have another version than this command.");
}

function end(): void {
  send({ type: "result", backtest: backtest.end({ isComplete: true }) });
}

function send(message: FromBacktestThread): void {
  // oxlint-disable-next-line unicorn/require-post-message-target-origin -- the port of a thread has no origin
  parentPort?.postMessage(message);
}
